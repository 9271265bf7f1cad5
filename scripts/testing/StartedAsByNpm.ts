/**
 * The Node options that the scripts of package.json put before the program, so that tests start programs as operators
 * do.
 */
import { join } from "node:path"

export const startedAsByNpm: ReadonlyArray<string> = ["--require", join(import.meta.dirname, "../compile-cache.cjs")]
