#!/bin/sh
# A server that is there in a millisecond, so that a cold start measures the client: one tool, no argument of it is read.
#   sh test/bench/tinyServer.sh
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while read -r message; do
  id=${message#*'"id":'}
  id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  case $message in
    *'"method":"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tiny","version":"1"}}' ;;
    *'"method":"tools/list"'*) answer '"result":{"tools":[{"name":"wait","inputSchema":{"type":"object"}}]}' ;;
    *) answer '"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
done
