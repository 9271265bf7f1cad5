/** The heights at which payments were last seen: the newest of each, and not of more than may be in flight. */
import { assert, it } from "@effect/vitest"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { SeenHeights } from "./SeenHeights.ts"

it("heights are known as last noted, and the oldest are forgotten", () => {
  const seen = new SeenHeights()
  const id = (index: number) => TransactionId.make(`0x${index.toString(16).padStart(64, "0")}`)
  seen.note(id(0), 1n)
  seen.note(id(1), 2n)
  seen.note(id(0), 3n)
  assert.deepStrictEqual([seen.of(id(0)), seen.of(id(1)), seen.of(id(2))], [3n, 2n, undefined])
  for (let index = 2; index < 2_001; index += 1) seen.note(id(index), 4n)
  assert.deepStrictEqual([seen.of(id(0)), seen.of(id(1)), seen.of(id(2_000))], [3n, undefined, 4n])
})
