/** Stored data of running workflows can be read by the next version. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { FillingWorkflow } from "../../src/services/filling/FillingWorkflow.ts"
import { brokenPromises, reads, storedWork, StoredWork, storedWorkText } from "./StoredWork.ts"

const root = join(import.meta.dirname, "../..")
const text = readFileSync(join(root, "docs", "stored-work.json"), "utf8")
const committed = Schema.decodeUnknownSync(StoredWork)(JSON.parse(text))

describe("stored work", () => {
  it("every workflow and step that may be stored exists, and reads what was stored", () => {
    assert.deepStrictEqual(brokenPromises(committed, storedWork()), [])
  })

  it("docs/stored-work.json names every one (npm run docs)", () => {
    assert.strictEqual(text, storedWorkText({ ...committed, ...storedWork() }))
  })

  it("nothing is stored that the file could not know: each workflow's steps are made in one place that StoredWork.ts knows", () => {
    const makers = globSync("{src,hosts,adapters}/**/*.ts", { cwd: root })
      .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
      .filter((file) =>
        /\b(?:Activity|Workflow|DurableDeferred|DurableClock|DurableQueue)\.(?:make|sleep)\b/.test(
          readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "")
        )
      )
    assert.deepStrictEqual(makers.toSorted(), [
      "src/services/deposit-addresses/SweepSteps.ts",
      "src/services/deposit-addresses/SweepWorkflow.ts",
      "src/services/filling/FillingSteps.ts",
      "src/services/filling/FillingWorkflow.ts",
      "src/services/payout/PayoutSteps.ts",
      "src/services/payout/PayoutWorkflow.ts",
      "src/services/permits/PermitSteps.ts",
      "src/services/permits/PermitWorkflow.ts"
    ])
  })

  it.effect("an execution keeps its id: the name and the key of the workflow are stored in it", () =>
    Effect.gen(function*() {
      const id = yield* FillingWorkflow.executionId({ onchainId: Hex32.make(`0x${"1".repeat(64)}`), sighting: 2 })
      assert.strictEqual(id, "c758d99c343fa37d5c834e3b9ab01f3e")
    }))
})

describe("what a schema reads of an older one", () => {
  const form = (schema: Schema.Constraint) =>
    Schema.decodeUnknownSync(Schema.Json)(Schema.toJsonSchemaDocument(Schema.toCodecJson(schema)).schema)
  const can = (now: Schema.Constraint, before: Schema.Constraint) => reads(form(now), form(before))
  const Paid = Schema.TaggedStruct("Paid", { amount: Schema.String })
  const Gone = Schema.TaggedStruct("Gone", {})

  it("accepts added cases and optional fields; refuses fewer cases, new required fields, and other types", () => {
    assert.isTrue(can(Schema.Literals(["a", "b", "c"]), Schema.Literals(["a", "b"])))
    assert.isFalse(can(Schema.Literals(["a"]), Schema.Literals(["a", "b"])))
    assert.isTrue(can(Schema.Union([Paid, Gone]), Paid))
    assert.isTrue(can(Schema.Union([Gone, Paid]), Schema.Union([Paid, Gone])))
    assert.isFalse(can(Paid, Schema.Union([Paid, Gone])))
    const more = (extra: Schema.Struct.Fields) => Schema.TaggedStruct("Paid", { amount: Schema.String, ...extra })
    assert.isTrue(can(more({ at: Schema.optionalKey(Schema.Int) }), Paid))
    assert.isFalse(can(more({ at: Schema.Int }), Paid))
    assert.isFalse(can(Schema.TaggedStruct("Paid", { amount: Schema.Int }), Paid))
    assert.isFalse(can(Schema.String, Schema.Int))
  })

  it("removed names and narrowed schemas are reported, each with what to do", () => {
    const now = storedWork()
    const { "Filling/close": gone, ...rest } = now
    assert.isDefined(gone)
    assert.match(brokenPromises(now, rest).join(), /^Filling\/close is gone: .*Keep it/)
    const narrow = {
      ...now,
      "Filling/confirm": { ...now["Filling/confirm"], success: now["Filling/decide"]?.["success"] ?? {} }
    }
    assert.match(brokenPromises(now, narrow).join(), /^Filling\/confirm: its success no longer reads/)
  })
})
