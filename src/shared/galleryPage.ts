/**
 * The messages between the extension and the page *Find a Server*. All texts are safe to show and limited in length.
 */
import type { Channel, Guards } from './channel.js';
import type { Form } from './form/form.js';
import { isObject } from './json.js';
import type { Arguments, FromForm } from './panel/formMessages.js';
import { formGuards, hasArguments } from './panel/formMessages.js';

export type GalleryToPage = {
  notices: {
    /** The whole state. Sent as the response to `ready`. */
    show: { bundle: Readonly<Record<string, string>>; sources: readonly SourceLine[]; note?: string };
    /** The sources or their lists changed. The page searches again. */
    changed: { sources: readonly SourceLine[]; note?: string };
    /** The progress of an installation. Without a text, it has ended. */
    progress: { text?: string };
    /** The user opened the page again. The search gets the focus. */
    focusSearch: object;
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type GalleryFromPage = {
  notices: Pick<FromForm['notices'], 'ready'> & {
    act: { action: GalleryAction; place?: string };
    openLink: { href: string };
    copy: { text: string };
  };
  requests: FromForm['requests'] & {
    search: { body: { query: string; limit: number }; reply: GalleryResults };
    details: { body: ServerKey; reply: ServerOffer | null };
    /** The entry that the list has now; null if it no longer lists the server. */
    latest: { body: ServerKey; reply: LatestEntry | null };
    /** The versions that the registry knows, newest first. */
    versions: { body: ServerKey; reply: readonly VersionLine[] };
    /** The form of one package or remote. */
    installForm: { body: InstallOptionKey; reply: InstallOptionForm };
    /** The preview of the server with these values. */
    preview: { body: InstallOptionKey & { arguments: Arguments }; reply: Preview };
    install: {
      body: InstallOptionKey & { arguments: Arguments; mode: InstallMode; shown: string };
      reply: InstallOutcome;
    };
  };
};

/** The page's end of the channel. */
export type GalleryChannel = Channel<GalleryFromPage, GalleryToPage>;

const galleryActions = ['refresh', 'openSettings', 'enterValues', 'showLog', 'addServer', 'learnMore'] as const;
export type GalleryAction = (typeof galleryActions)[number];

const installModes = ['start', 'save', 'try'] as const;
/** Saves the server and starts it, only saves it, or starts it as a scratch server. */
export type InstallMode = (typeof installModes)[number];

/** Identifies a server in the list of a source. */
export interface ServerKey {
  place: string;
  name: string;
  /** Default: the latest version. */
  version?: string;
}

/** Identifies the latest entry of a server in a list. */
export interface LatestEntry {
  version: string;
  /** Changes if anything in the entry changes. */
  id: string;
}

/** Identifies one package or remote of a server. */
export interface InstallOptionKey extends ServerKey {
  /** `packages/0`, `remotes/1`. */
  option: string;
}

export interface SourceLine {
  place: string;
  name: string;
  /** The number of servers and the age of the list, or what happens now. */
  text: string;
  isUpdating: boolean;
  /** A failure as text, with the next step and the button for it. */
  problem?: { text: string; action?: GalleryAction; label?: string };
}

export interface GalleryResults {
  rows: readonly GalleryRow[];
  /** Whether more servers match. */
  hasMore: boolean;
}

export interface GalleryRow {
  key: ServerKey;
  title: string;
  name: string;
  description: string;
  /** The name of the source. */
  source: string;
  /** Whether the source verified that the publisher owns the name. */
  isVerified: boolean;
  version: string;
  /** The time since the version was published, such as `3 months`. */
  age?: string;
  /** Present for a deprecated or deleted server: its badge, and the reason. */
  warning?: { badge: string; reason: string };
  /** The programs that the packages need, each once. */
  needs: readonly Need[];
  /** Whether the server can also be reached at a URL. */
  isRemote: boolean;
}

/** A program that a package needs. */
export interface Need {
  /** The name of the product, such as `Node.js`. */
  name: string;
  /** Whether its command is on the PATH of this machine. */
  isHere: boolean;
  /** What to do if it is missing. */
  remedy: string;
}

export interface ServerOffer {
  key: ServerKey;
  row: GalleryRow;
  /** The whole description. */
  description: string;
  /** Labels and values, such as the publisher and the source. */
  facts: readonly { name: string; value: string }[];
  links: readonly { label: string; href: string }[];
  /** The latest entry at the time of the reply. If the user selected another version, the page shows that version. */
  latest: LatestEntry;
  /** The rule that blocks the server, as a sentence. */
  blocked?: string;
  options: readonly InstallOption[];
  /** The ID of the option that fits this machine best. Absent if there are no options. */
  suggested?: string;
}

/** One package or remote of a server. */
export interface InstallOption {
  id: string;
  /** The type: `npm`, `Remote (HTTP)`. */
  type: string;
  /** The package with its version, or the URL. */
  what: string;
  need?: Need;
  /** Why it cannot be installed. */
  problem?: string;
  /** The command and the URL that the user can use instead, with headings. */
  steps?: Preview['sections'];
}

export interface VersionLine {
  version: string;
  text: string;
}

export interface InstallOptionForm {
  form: Form;
  start: Arguments;
  preview: Preview;
}

/** Exactly what the server would run and send. */
export interface Preview {
  /** The command line, or the URL. */
  line: string;
  /** Further values with their headings, such as environment variables. */
  sections: readonly { title: string; lines: readonly string[] }[];
  warnings: readonly string[];
  /** Why the definition cannot be used. */
  problem?: string;
  /** Identifies this preview, so that the extension knows what the user saw. */
  id: string;
}

export type InstallOutcome =
  | { kind: 'done'; text: string; server?: string }
  /** The user declined a question. */
  | { kind: 'cancelled' }
  | { kind: 'failed'; what: string; next: string };

/** Whether a body identifies a server. The version may be missing. */
function isKey(body: unknown): body is ServerKey {
  return (
    isObject(body) &&
    typeof body['place'] === 'string' &&
    typeof body['name'] === 'string' &&
    (body['version'] === undefined || typeof body['version'] === 'string')
  );
}

function isOptionKey(body: unknown): body is InstallOptionKey {
  return isObject(body) && typeof body['option'] === 'string' && isKey(body);
}

/** The checks of the messages from the page, by name. */
export const galleryGuards: Guards<GalleryFromPage> = {
  notices: {
    ready: isObject,
    act: (body): body is GalleryFromPage['notices']['act'] =>
      isObject(body) &&
      galleryActions.some((action) => action === body['action']) &&
      (body['place'] === undefined || typeof body['place'] === 'string'),
    openLink: (body): body is { href: string } => isObject(body) && typeof body['href'] === 'string',
    copy: (body): body is { text: string } => isObject(body) && typeof body['text'] === 'string',
  },
  requests: {
    ...formGuards.requests,
    search: (body): body is { query: string; limit: number } =>
      isObject(body) && typeof body['query'] === 'string' && typeof body['limit'] === 'number',
    details: isKey,
    latest: isKey,
    versions: isKey,
    installForm: isOptionKey,
    preview: (body): body is GalleryFromPage['requests']['preview']['body'] => isOptionKey(body) && hasArguments(body),
    install: (body): body is GalleryFromPage['requests']['install']['body'] =>
      isOptionKey(body) &&
      hasArguments(body) &&
      'shown' in body &&
      typeof body.shown === 'string' &&
      'mode' in body &&
      installModes.some((mode) => mode === body.mode),
  },
};
