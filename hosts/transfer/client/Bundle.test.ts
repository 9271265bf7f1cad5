/** What a browser loads: the client joined into one module, minified and compressed, and nothing of a package in it. */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "rolldown"

const root = join(import.meta.dirname, "../../..")

const bundled = async (entry: string) => {
  const { output } = await build({
    cwd: root,
    input: entry,
    platform: "browser",
    output: { format: "esm", minify: true },
    write: false,
    logLevel: "silent"
  })
  return output.flatMap((chunk) => chunk.type === "chunk" ? [chunk] : [])
}

const compressed = (chunks: ReadonlyArray<{ readonly code: string }>): number =>
  gzipSync(chunks.map(({ code }) => code).join("")).length

const sizeOf = async (entry: string): Promise<number> => {
  const chunks = await bundled(entry)
  assert.deepStrictEqual(chunks.flatMap(({ imports }) => imports), [])
  assert.deepStrictEqual(
    chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes("node_modules"))),
    []
  )
  return compressed(chunks)
}

describe("a bundle", () => {
  it("of verifyWebhook is below 5 kB, on the hash functions alone", async () => {
    const chunks = await bundled("hosts/transfer/client/webhooks/index.ts")
    const packages = chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes("node_modules")))
    assert.deepStrictEqual(packages.filter((id) => !id.includes("@noble/hashes")), [])
    assert.isBelow(compressed(chunks), 5_000)
  })

  it("of the client is below 15 kB, on no package", async () => {
    assert.isBelow(await sizeOf("hosts/transfer/client/index.ts"), 15_000)
  })

  it.each(["ethereum", "bitcoin", "tron"])(
    "of the client with its wallets of %s is on no package, too",
    async (family) => {
      assert.isBelow(await sizeOf(`hosts/transfer/client/${family}/index.ts`), 5_000)
    }
  )
})
