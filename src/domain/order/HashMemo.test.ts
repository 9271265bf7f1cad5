import { assert, it } from "@effect/vitest"
import { makeHashMemo } from "./HashMemo.ts"

it("a memo hashes once, caches no failure, and never grows beyond its bound", () => {
  const memo = makeHashMemo()
  let hashed = 0
  const hash = () => Uint8Array.of(++hashed)
  assert.deepStrictEqual(memo.get("a", hash), Uint8Array.of(1))
  assert.deepStrictEqual(memo.get("a", hash), Uint8Array.of(1))
  assert.isUndefined(memo.get("b", () => undefined))
  assert.deepStrictEqual(memo.get("b", hash), Uint8Array.of(2))
  for (let index = 0; index < 1024; index++) memo.get(`filler ${index}`, hash)
  assert.notDeepEqual(memo.get("a", hash), Uint8Array.of(1))
  const long = "x".repeat(1000)
  assert.notDeepEqual(memo.get(long, hash), memo.get(long, hash))
})
