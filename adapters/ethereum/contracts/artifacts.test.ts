import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import type { AbiEvent } from "viem"
import { toEventSelector, toFunctionSelector } from "viem"
import vectors from "../../../src/domain/hub/vectors/settlement.json" with { type: "json" }
import { abi as depositoryAbi } from "./artifacts/Depository.ts"
import { abi as routerAbi } from "./artifacts/Router.ts"

const check = () =>
  spawnSync(process.execPath, [join(import.meta.dirname, "../../../scripts/compile-contracts.ts"), "--check"], {
    encoding: "utf8"
  })

describe("artifacts", () => {
  it("are what the sources compile to", () => {
    const { status, stderr } = check()
    assert.strictEqual(stderr, "")
    assert.strictEqual(status, 0)
  })

  it("the pinned events have the pinned topics, and nothing in them is indexed", () => {
    const events: ReadonlyArray<AbiEvent> = [...depositoryAbi, ...routerAbi].filter((item) => item.type === "event")
    for (const [signature, topic] of Object.entries(vectors.topics)) {
      const found = events.find((event) => toEventSelector(event) === topic)
      assert.isDefined(found, signature)
      assert.isTrue(found?.inputs.every((input) => input.indexed !== true), signature)
    }
  })

  it("the depository's functions have the pinned selectors", () => {
    const selectors = depositoryAbi.filter((item) => item.type === "function").map((item) => toFunctionSelector(item))
    assert.includeMembers(selectors, ["0x49290c1c", "0xe8017952", "0xd52bfcc8"])
  })
})
