/**
 * Every name that the package exports says what it is by a doc comment at its declaration, where an editor shows it. The
 * head of its file is not enough, unless nothing stands between them.
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const root = join(import.meta.dirname, "..")
const entries = [
  "src/index.ts",
  "src/services/index.ts",
  "ports/index.ts",
  "hosts/transfer/index.ts",
  "hosts/transfer/client/index.ts",
  "hosts/transfer/client/*/index.ts",
  "hosts/oracle/index.ts",
  "property-tests/index.ts",
  "adapters/*/index.ts"
]

interface Exported {
  readonly file: string
  readonly name: string
}

const list = /export (?:type )?\{([^}]*)\} from "([^"]+)"/gs

/** The names of an export list, as they are called where they come from, with what they are called outside. */
const namesOf = (text: string) =>
  text.split(",").map((name) => name.trim().replace(/^type /, "")).filter((name) => name !== "").map((name) => {
    const [inner = "", outer = inner] = name.split(" as ")
    return { inner, outer }
  })

const exportsOf = (file: string): ReadonlyArray<Exported> => {
  const source = readFileSync(file, "utf8")
  const from = (path: string) => join(dirname(file), path)
  const named = [...source.matchAll(list)].flatMap(([, names = "", path = ""]) =>
    namesOf(names).map(({ inner }) => ({ file: from(path), name: inner }))
  )
  const all = [...source.matchAll(/export \* from "([^"]+)"/g)].flatMap(([, path = ""]) => exportsOf(from(path)))
  return [...named, ...all]
}

/** `undefined` when the file does not declare the name. */
const isDocumented = ({ file, name }: Exported): boolean | undefined => {
  const source = readFileSync(file, "utf8")
  const lines = source.split("\n")
  const at = lines.findIndex((line) =>
    new RegExp(`^export (?:const|type|interface|class|function) ${name}\\b`).test(line)
  )
  if (at >= 0) {
    return lines[at - 1]?.trim().endsWith("*/") === true
  }
  // Several names taken out of one value: what is said above them is said of each.
  const together = [...source.matchAll(/\*\/\nexport const \{([^}]*)\} =/g)].flatMap(([, names = ""]) => namesOf(names))
  if (together.some(({ outer }) => outer === name)) return true
  const [, , path = "", inner = ""] =
    [...source.matchAll(list)].flatMap((match) =>
      namesOf(match[1] ?? "").filter(({ outer }) => outer === name).map((found) =>
        ["", "", match[2], found.inner] as const
      )
    )[0] ?? []
  return path === "" ? undefined : isDocumented({ file: join(dirname(file), path), name: inner })
}

describe("the public exports", () => {
  const exported = entries.flatMap((entry) => globSync(entry, { cwd: root })).flatMap((entry) =>
    exportsOf(join(root, entry))
  )

  it("are declared where the entries say, and each is documented", () => {
    assert.isAbove(exported.length, 300)
    const silent = exported.filter((each) => isDocumented(each) !== true).map(({ file, name }) =>
      `${relative(root, file)}: ${name}`
    )
    assert.deepStrictEqual(silent, [])
  })

  it("include every port", () => {
    const index = readFileSync(join(root, "ports/index.ts"), "utf8")
    const files = globSync("ports/**/*.ts", { cwd: root }).map((file) => relative("ports", file)).filter((file) =>
      file !== "index.ts" && !file.includes(".test.")
    )
    assert.deepStrictEqual(files.filter((file) => !index.includes(`"./${file}"`)), [])
  })
})
