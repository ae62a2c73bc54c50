import { abortSignalOf } from '../base/lightAbort.js';
import { pathToFileURL } from 'node:url';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import { UserError } from '../base/hostError.js';
import { escapeGlob } from './globRules.js';
import type { PromptProvider } from '../serving/servedFeatures.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import { maxReadLength } from './fileTools.js';

/** Maximum number of paths in a completion. */
const maxPaths = 100;

/** A prompt that gives a file to the model and asks the model for a review. */
export function reviewPrompt(files: WorkspaceFiles): PromptProvider {
  return {
    prompt: {
      name: 'review_file',
      title: 'Review a File',
      description: 'Asks for a review of one file of the workspace.',
      arguments: [
        {
          name: 'path',
          title: 'Path',
          description: 'File to review, relative to the workspace folder.',
          required: true,
        },
        { name: 'focus', title: 'Focus', description: 'What to look at in particular, for example "error handling".' },
      ],
    },
    async get({ path = '', focus }) {
      const { file, text } = await readable(files, path);
      const shown = files.paths.label(file);
      const wish = focus === undefined || focus.trim() === '' ? '' : ` Look at this in particular: ${focus.trim()}`;
      const cut =
        text.length > maxReadLength ? `\n\nOnly the first ${maxReadLength} characters of the file are attached.` : '';
      return {
        description: `Review of ${shown}`,
        messages: [
          {
            role: 'user',
            content: {
              type: 'resource',
              resource: {
                uri: pathToFileURL(file.absolute).href,
                mimeType: 'text/plain',
                text: text.slice(0, maxReadLength),
              },
            },
          },
          {
            role: 'user',
            content: {
              type: 'text',
              text:
                `Please review the file ${shown} that is attached above. Name bugs first, then risks, then what is hard ` +
                `to read; give the line of each and say how to change it. Leave out what is fine.${wish}${cut}`,
            },
          },
        ],
      };
    },
    async complete({ name, value }, { signal }) {
      if (name !== 'path') return [];
      const open = files.access.openEditors().map((editor) => files.paths.display(editor.path));
      const pattern = `**/*${escapeGlob(value.split('/').at(-1) ?? '')}*`;
      const found = await files.find(pattern, maxPaths, abortSignalOf(signal));
      // Open files come first, because the user most likely means one of those.
      const candidates = new Set([
        ...open.filter((path) => path !== undefined),
        ...found.files.map((file) => file.path),
      ]);
      const values = [...candidates]
        .filter((path) => path.toLowerCase().includes(value.toLowerCase()))
        .slice(0, maxPaths);
      return { values, hasMore: found.isTruncated };
    },
  };
}

async function readable(
  files: WorkspaceFiles,
  path: string,
): Promise<{ file: Awaited<ReturnType<WorkspaceFiles['locate']>>; text: string }> {
  try {
    const file = await files.locate(path);
    return { file, text: (await files.readText(file)).text };
  } catch (error) {
    // A prompt result cannot report an error, so the request fails with "invalid params".
    if (error instanceof UserError) throw new ProtocolError(ErrorCode.invalidParams, error.message);
    throw error;
  }
}
