/**
 * Every rule that the tree cites is defined once in docs/spec and cited by code. Every page that the tree mentions, and
 * every test that a page quotes, exists.
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { citedIds, coveredIds, definedIds, mentionedPages, quotedNames } from "./Citations.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const folders = "{src,ports,adapters,hosts,property-tests,scripts,examples,configs,docs}"
const written = ["*.{ts,md,json}", `${folders}/**/*.{ts,cjs,js,sol,c,h,md,json,yml,yaml,html,css}`]
// Files written by a compiler, npm or a build cite nothing.
const made = (path: string): boolean => /(^|\/)(node_modules|dist|artifacts)\/|package-lock\.json$/.test(path)
const paths = written.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((path) => !made(path))
const texts = new Map(paths.map((path) => [path, read(path)]))
// The test of the parser itself contains citations that do not exist.
texts.delete(join("scripts", "docs", "Citations.test.ts"))

const defined = globSync("docs/spec/*.md", { cwd: root }).flatMap((page) => definedIds(read(page)))
const ids: ReadonlySet<string> = new Set(defined)
const pages: ReadonlySet<string> = new Set(paths.filter((path) => path.endsWith(".md")).map((path) => basename(path)))

const faults = (wrong: (text: string) => ReadonlyArray<string>): ReadonlyArray<string> =>
  [...texts].flatMap(([path, text]) => wrong(text).map((what) => `${path}: ${what}`))

describe("citations", () => {
  it("cover many files and rules", () => {
    assert.isAbove(texts.size, 1_000)
    assert.isAbove(ids.size, 200)
  })
  it("name only rules of docs/spec", () =>
    assert.deepStrictEqual(faults((text) => citedIds(text).filter((id) => !ids.has(id))), []))
  it("name rules that are defined once", () =>
    assert.deepStrictEqual(defined.filter((id, at) => defined.indexOf(id) !== at), []))
  it("of each rule are in code or tests, not in docs alone", () => {
    const covered = new Set([...texts].flatMap(([path, text]) => path.startsWith("docs") ? [] : coveredIds(text)))
    assert.deepStrictEqual(defined.filter((id) => !covered.has(id)), [])
  })
  it("of tests quote names that tests have", () => {
    const tests = [...texts].filter(([path]) => /\.test\.ts$|testing|property-tests/.test(path)).map(([, text]) => text)
    const dead = ["audit-checklist.md", "misbehaving-chains.md"].flatMap((page) =>
      quotedNames(texts.get(join("docs", page)) ?? "")
    ).filter((name) => !tests.some((text) => text.includes(name)))
    assert.deepStrictEqual(dead, [])
  })
  it("name pages that are in the tree", () => {
    const dead = (text: string): ReadonlyArray<string> => {
      const { names, outside } = mentionedPages(text)
      return [...names.filter((name) => !pages.has(name)), ...outside]
    }
    assert.deepStrictEqual(faults(dead), [])
  })
})

describe("what a text cites", () => {
  it("is an id, and no standard and no class of a pattern", () =>
    assert.deepStrictEqual(citedIds("(PRICE-13, EVM-3 to EVM-5) EIP-712, UTF-8, [A-F0-9], x-A-1"), [
      "PRICE-13",
      "EVM-3",
      "EVM-5"
    ]))
  it("is also what lies between two ids", () =>
    assert.deepStrictEqual(coveredIds("EVM-3 to EVM-5, EVM-9"), ["EVM-3", "EVM-5", "EVM-9", "EVM-3", "EVM-4", "EVM-5"]))
  it("is the quoted names of tests in a table's last cell", () =>
    assert.deepStrictEqual(quotedNames("| \"no\" | it says \"no\" | A: \"one … two\", B: \"three\" |\n"), [
      "one",
      "two",
      "three"
    ]))
  it("is a page, or a section of one that nobody can open", () =>
    assert.deepStrictEqual(mentionedPages("docs/api.md, spec/3 §4, RFC 6749 §4.4, ../shared/style.md"), {
      names: ["api.md", "style.md"],
      outside: ["spec/3", "§4", "../shared"]
    }))
  it("is defined in bold brackets", () =>
    assert.deepStrictEqual(definedIds("- **[PRICE-1]** x\n| **[EVM-2]** y | PRICE-3"), ["PRICE-1", "EVM-2"]))
})
