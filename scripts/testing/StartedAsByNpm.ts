/**
 * What the scripts of package.json give Node before the program that it is to run: tests start programs as operators
 * do.
 */
import { join } from "node:path"

export const startedAsByNpm: ReadonlyArray<string> = ["--require", join(import.meta.dirname, "../compile-cache.cjs")]
