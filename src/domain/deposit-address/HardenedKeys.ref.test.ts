/** Hardened keys against the published vectors of SLIP-0010 and BIP-32, and against another implementation. */
import { bitcoin } from "../families/bitcoin/Rules.ts"
import { solana } from "../families/solana/Rules.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { HDKey } from "viem/accounts"
import { deriveEd25519, deriveSecp256k1, keyPath, pathText } from "./HardenedKeys.ts"

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"))
const hexOf = (array: Uint8Array) => Buffer.from(array).toString("hex")

const vectors: ReadonlyArray<readonly [string, ReadonlyArray<readonly [ReadonlyArray<number>, string]>]> = [
  ["000102030405060708090a0b0c0d0e0f", [
    [[], "2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7"],
    [[0], "68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3"],
    [[0, 1], "b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2"],
    [[0, 1, 2], "92a5b23c0b8a99e37d07df3fb9966917f5d06e02ddbd909c7e184371463e9fc9"],
    [[0, 1, 2, 2], "30d1dc7e5fc04c31219ab25a27ae00b50f6fd66622f6e9c913253d6511d1e662"],
    [[0, 1, 2, 2, 1_000_000_000], "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793"]
  ]],
  [
    "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542",
    [
      [[], "171cb88b1b3c1db25add599712e36245d75bc65a1a5c9e18d76f9f2b1eab4012"],
      [[0], "1559eb2bbec5790b0c65d8693e4d0875b1747f4970ae8b650486ed7470845635"],
      [[0, 2_147_483_647], "ea4f5bfe8694d8bb74b7b59404632fd5968b774ed545e810de9c32a4fb4192f4"],
      [[0, 2_147_483_647, 1], "3757c7577170179c7868353ada796c839135b3d30554bbb74a4b1e4a5a58505c"],
      [[0, 2_147_483_647, 1, 2_147_483_646], "5837736c89570de861ebc173b1086da4f505d4adb387c6a1b1342d5e4ac9ec72"],
      [[0, 2_147_483_647, 1, 2_147_483_646, 2], "551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d"]
    ]
  ]
]

describe("a hardened key", () => {
  for (const [seed, cases] of vectors) {
    for (const [path, expected] of cases) {
      it(`of ${seed.slice(0, 8)}… at ${pathText(path)} equals the published one`, () => {
        assert.strictEqual(hexOf(deriveEd25519(bytes(seed), path)), expected)
      })
    }
  }

  it("of secp256k1 equals the published ones of BIP-32", () => {
    const seed = bytes("000102030405060708090a0b0c0d0e0f")
    assert.strictEqual(
      hexOf(deriveSecp256k1(seed, [])),
      "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"
    )
    assert.strictEqual(
      hexOf(deriveSecp256k1(seed, [0])),
      "edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea"
    )
  })

  it("of secp256k1 is the one that wallets derive", () => {
    const path = fc.array(fc.integer({ min: 0, max: 0x7fff_ffff }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 64 }), path, (seed, at) => {
        const theirs = HDKey.fromMasterSeed(seed).derive(pathText(at)).privateKey ?? assert.fail("no key")
        assert.strictEqual(hexOf(deriveSecp256k1(seed, at)), hexOf(theirs))
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("differs for every seed, every place and every family", () => {
    const index = fc.integer({ min: 0, max: 0x7fff_ffff })
    const place = fc.record({ generation: index, number: index })
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 64 }), place, place, (seed, one, other) => {
        const [first, second] = [one, other].map((each) => hexOf(deriveEd25519(seed, keyPath(solana, each))))
        assert.strictEqual(first === second, one.generation === other.generation && one.number === other.number)
        assert.notStrictEqual(first, hexOf(deriveEd25519(seed.map((byte) => byte ^ 1), keyPath(solana, one))))
        const [third, fourth] = [one, other].map((each) => hexOf(deriveSecp256k1(seed, keyPath(bitcoin, each))))
        assert.strictEqual(third === fourth, first === second)
        assert.notStrictEqual(third, first)
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})
