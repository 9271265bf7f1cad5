/**
 * The modules of ours that a program loads, found by following its relative imports. Type-only imports are not loaded.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const imported =
  /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^"';]*?from\s+"(\.[^"]+)"|import\("(\.[^"]+)"\)|import\s+"(\.[^"]+)"/g

/**
 * Paths and sources, the program itself first. `never` excludes modules that it could load and does not, with
 * everything that they import.
 */
export const reachableFrom = (
  program: string,
  never: (path: string) => boolean = () => false
): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const visit = (path: string): void => {
    if (found.has(path) || never(path)) return
    const source = readFileSync(path, "utf8")
    found.set(path, source)
    for (const [, plain, late, bare] of source.matchAll(imported)) {
      visit(join(dirname(path), plain ?? late ?? bare ?? ""))
    }
  }
  visit(program)
  return found
}
