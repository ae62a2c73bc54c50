/** What is kept of one server that is secret: values that the user typed in, and the sign-in at its address. */
import type { StoredOfServer } from '../catalog/hostApi.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { SessionOpener } from './sessionOpener.js';
import type { SignIns } from './signIns.js';

/** Asks nobody. The sign-in is left out where another of `entries` has the same address: it is that server's too. */
export async function storedOf(
  entry: ServerEntry,
  entries: readonly ServerEntry[],
  opener: SessionOpener,
  signIns: SignIns,
): Promise<StoredOfServer> {
  const inputs = (await opener.inputs.list([entry])).filter((stored) => stored.isUsed);
  const address = await addressOf(entry, opener, signIns);
  if (address === undefined || !(await signIns.isKnown(address))) return { inputs };
  const others = await Promise.all(
    entries.filter(({ id }) => id !== entry.id).map((other) => addressOf(other, opener, signIns)),
  );
  return others.includes(address) ? { inputs } : { inputs, signedInTo: address };
}

/** Accounts are ended at their issuers first. */
export async function forgetStored(
  { inputs, signedInTo }: StoredOfServer,
  opener: SessionOpener,
  signIns: SignIns,
): Promise<void> {
  for (const stored of inputs) await opener.inputs.forget(stored);
  if (signedInTo !== undefined) await signIns.forgetAddress(signedInTo);
}

/**
 * What sign-ins of a server belong to; undefined where that cannot be known without a question or before its
 * approval.
 */
async function addressOf(entry: ServerEntry, opener: SessionOpener, signIns: SignIns): Promise<string | undefined> {
  const { definition } = entry;
  if (definition.type === 'stdio' || definition.type === 'builtin') return undefined;
  if (!definition.url.includes('${')) return signIns.addressOf(definition.url);
  const inspection = await opener.inspect(entry);
  const resolved = inspection.refusal === undefined ? await inspection.resolve().catch(() => undefined) : undefined;
  return resolved && resolved.type !== 'stdio' ? signIns.addressOf(resolved.url) : undefined;
}
