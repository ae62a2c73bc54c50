import { bundlesFeature } from './features/bundles/bundlesFeature.js';
import { chatFeature } from './features/chat/deckParticipant.js';
import { checksFeature } from './features/checks/checksFeature.js';
import { editFeature } from './features/configuration/editFeature.js';
import { debugFeature } from './features/debug/debugFeature.js';
import { detailsFeature } from './features/details/serverPanels.js';
import { doctorFeature } from './features/doctor/diagnose.js';
import { documentationCommand } from './features/documentation/openDocumentation.js';
import { galleryFeature } from './features/gallery/galleryFeature.js';
import { gatewayFeature } from './features/gateway/gatewayFeature.js';
import { vsCodeServersFeature } from './features/gateway/vsCodeServers.js';
import { interchangeFeature } from './features/interchange/interchangeFeature.js';
import { presetFeature } from './features/presets/presetCommands.js';
import { getPromptCommands } from './features/prompts/getPrompt.js';
import { recordingsFeature } from './features/recordings/recordingsFeature.js';
import { requestsFeature } from './features/requests/requestsFeature.js';
import { compareResourceCommand } from './features/resources/compareResource.js';
import { openResourceCommands } from './features/resources/openResource.js';
import { pinResourceCommands } from './features/resources/pinResource.js';
import { resultCommands } from './features/results/resultCommands.js';
import { consentFeature } from './features/rules/consentFeature.js';
import { ruleDiagnosticsFeature } from './features/rules/ruleDiagnostics.js';
import { filterRunsCommands } from './features/runs/filterRuns.js';
import { runCommands } from './features/runs/runCommands.js';
import { runLinkRoute } from './features/runs/runLinkRoute.js';
import { runToolCommands } from './features/runs/runTool.js';
import { chooseRootsCommand } from './features/servers/chooseRoots.js';
import { configurationCommands } from './features/servers/configuration.js';
import { copyServerCommands } from './features/servers/copyServer.js';
import { diagnosticsFeature } from './features/servers/diagnostics.js';
import { lifecycleCommands } from './features/servers/lifecycle.js';
import { listServersCommand } from './features/servers/listServers.js';
import { logCommands } from './features/servers/logs.js';
import { scratchCommands } from './features/servers/scratch.js';
import { startAllCommand } from './features/servers/startAll.js';
import { storedValuesFeature } from './features/servers/storedValuesFeature.js';
import { trustCommands } from './features/servers/trust.js';
import { signInCommands } from './features/signIn/signIn.js';
import { skillCommands } from './features/skills/skillCommands.js';
import { testingFeature } from './features/testing/testingFeature.js';
import { openToolPanelCommand } from './features/tools/openToolPanel.js';
import { showSchemaCommand } from './features/tools/showSchema.js';
import { traceFeature } from './features/trace/traceFeature.js';
import { copyResourceCommands } from './ui/copyResource.js';
import type { Feature } from './ui/services.js';

/** All features. Each is registered separately, so that a failure does not affect the others. */
export const allFeatures: readonly Feature[] = [
  lifecycleCommands,
  startAllCommand,
  configurationCommands,
  scratchCommands,
  interchangeFeature,
  galleryFeature,
  bundlesFeature,
  presetFeature,
  doctorFeature,
  checksFeature,
  recordingsFeature,
  detailsFeature,
  debugFeature,
  editFeature,
  storedValuesFeature,
  trustCommands,
  consentFeature,
  ruleDiagnosticsFeature,
  signInCommands,
  chooseRootsCommand,
  logCommands,
  copyServerCommands,
  documentationCommand,
  diagnosticsFeature,
  listServersCommand,
  runToolCommands,
  runCommands,
  filterRunsCommands,
  runLinkRoute,
  openToolPanelCommand,
  showSchemaCommand,
  openResourceCommands,
  copyResourceCommands,
  compareResourceCommand,
  pinResourceCommands,
  traceFeature,
  skillCommands,
  getPromptCommands,
  resultCommands,
  requestsFeature,
  gatewayFeature,
  vsCodeServersFeature,
  chatFeature,
  testingFeature,
];
