/**
 * Files of the store that nobody but their owner can read, whatever umask or folder they are made under: the mode is
 * given when the file is made, so that there is no moment at which somebody else could have opened it. SQLite gives
 * what it keeps beside a file (`-wal`, `-shm`, `-journal`) the mode of that file.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, writeSync } from "node:fs"
import { dirname, resolve } from "node:path"

const OWNER_ONLY = 0o600

/** What SQLite keeps beside a file, and the file. */
export const parts = ["", "-wal", "-shm", "-journal"] as const

/** The folder of a file, made for its owner alone where it is missing. One that is there is left as it is. */
export const ensureFolder = (path: string): void => {
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 })
}

/** Makes an empty file that was not there; one that somebody put there meanwhile is refused, a link as well. */
export const createPrivate = (path: string): void => closeSync(openSync(path, "wx", OWNER_ONLY))

/**
 * Makes the file where it is missing, and takes it and what is beside it from everybody else where it is not. SECURITY:
 * a file that is there is not opened: closing it would drop the locks that SQLite holds on it for this process.
 */
export const ensurePrivate = (path: string): void => {
  if (!existsSync(path)) createPrivate(path)
  for (const part of parts) if (existsSync(`${path}${part}`)) chmodSync(`${path}${part}`, OWNER_ONLY)
}

/** Copies to a file that was not there: `fs.copyFile` would give it the mode of the source. */
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
