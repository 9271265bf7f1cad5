/**
 * Files of the store that only their owner can read, under any umask and in any folder. The mode is set when a file is
 * created, so there is no moment at which another user could have opened it. SQLite gives the files that it keeps
 * beside it (`-wal`, `-shm`, `-journal`) the same mode.
 */
import { chmodSync, closeSync, mkdirSync, openSync, readSync, statSync, writeSync } from "node:fs"
import { dirname, resolve } from "node:path"

const OWNER_ONLY = 0o600

/** Suffixes of a store's file itself and of the files that SQLite keeps beside it. */
export const parts = ["", "-wal", "-shm", "-journal"] as const

/** Creates the folder of a file for its owner alone, if it is missing. An existing folder does not change. */
export const ensureFolder = (path: string): void => {
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 })
}

/** Creates an empty file. Fails when a file or a link exists there, even one that was created just before. */
export const createPrivate = (path: string): void => closeSync(openSync(path, "wx", OWNER_ONLY))

class NotAFile extends Error {
  /** As the file system says it. */
  readonly code = "EISDIR"
  constructor(path: string) {
    super(`${path} is not a file, but a folder or a device`)
  }
}

/** Undefined when nothing is there. Throws for a folder or a device: with the mode of a file, nobody could use it. */
const statFile = (path: string) => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() === false) throw new NotAFile(path)
  return found
}

/**
 * Creates the file if it is missing. If it exists, takes all access to it and the files beside it from other users.
 *
 * SECURITY: an existing file is not opened, because closing it would drop the locks that SQLite holds on it for this
 * process.
 */
export const ensurePrivate = (path: string): void => {
  if (statFile(path) === undefined) createPrivate(path)
  for (const part of parts) if (statFile(`${path}${part}`) !== undefined) chmodSync(`${path}${part}`, OWNER_ONLY)
}

/** Copies to a file that must not exist. `fs.copyFile` would give it the mode of the source. */
export const copyPrivately = (source: string, target: string): void => {
  const from = openSync(source, "r")
  const to = openSync(target, "wx", OWNER_ONLY)
  const buffer = Buffer.alloc(1 << 20)
  try {
    for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer)) {
      for (let written = 0; written < read;) written += writeSync(to, buffer, written, read - written)
    }
  } finally {
    closeSync(from)
    closeSync(to)
  }
}
