/** What the registry costs a process: naming families loads none of them, and reading their chains nothing that pays. */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { runWatched } from "../src/testing/Embedded.ts"

const root = join(import.meta.dirname, "..")

/** The modules of families, and packages of theirs, that a program loads which begins with the registry. */
const loadedBy = (program: string): ReadonlyArray<string> => {
  const { modules, status, stderr } = runWatched([
    "--input-type=module",
    "--eval",
    `import { families } from "./hosts/families.ts"\n${program}`
  ], root)
  assert.strictEqual(status, 0, stderr)
  return modules.flatMap((url) =>
    /\/adapters\/(?:ethereum|solana|bitcoin|tron|exchange-[ab])\/.*$|\/node_modules\/(?:viem|@solana\/kit)\//.exec(
      url
    ) ?? []
  )
}

/** Opens the observers of every family and its facts, for no endpoint. */
const observing = `
import { Effect, Layer } from "effect"
for (const { observe } of families) {
  await Effect.runPromise(Effect.scoped(Effect.flatMap(observe.read([]), ({ facts, hubs, observers }) =>
    Layer.build(Layer.mergeAll(facts(new Map()), observers(new Map()), ...(hubs === undefined ? [] : [hubs(new Map())]))))))
}`

describe("the registry of families", () => {
  it("loads only the families' values", () => {
    const others = loadedBy("").filter((path) => !/\/(?:Family|Variables)\.ts$/.test(path))
    assert.deepStrictEqual(others, [])
  })

  it("loads no code that pays where chains are only read", () => {
    const loaded = loadedBy(observing)
    assert.deepStrictEqual(loaded.filter((path) => /\/(?:TransferPorts\.ts|pay\/|watch\/|quote\/)/.test(path)), [])
    const observers = loaded.filter((path) => path.endsWith("/observe/Observer.ts"))
    assert.lengthOf(observers, 6)
  })
})
