/** A window in its own process, which a test can end: node doorWindowChild.mjs <door folder> <open folder>… */
import { openDoorWindow } from './doorWindow.js';

const [door = '', ...folders] = process.argv.slice(2);
await openDoorWindow({
  door,
  folders,
  ports: {
    elicitor: {
      elicit: () => {
        process.stdout.write('asked\n');
        return new Promise(() => undefined);
      },
    },
  },
});
process.stdout.write('listening\n');
