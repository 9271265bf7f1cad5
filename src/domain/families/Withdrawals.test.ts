/** Encodings that can be read but are not canonical. Each is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Psbt } from "bitcoinjs-lib"
import * as Result from "effect/Result"
import { asAddress } from "./AddressCodec.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { decodeWithdrawal, encodeWithdrawal, type Withdrawal } from "./Withdrawals.ts"
import type { VmFamily } from "../chain/VmFamily.ts"

const hexOf = (text: string): Hex => Hex.make(`0x${text}`)
const refused = (family: VmFamily, text: string) => {
  const decoded = decodeWithdrawal(family, hexOf(text))
  assert.isTrue(Result.isFailure(decoded), text)
}
const accepted = (family: VmFamily, text: string): Withdrawal =>
  Result.getOrThrow(decodeWithdrawal(family, hexOf(text)))

describe("PSBTs", () => {
  const psbt = new Psbt()
    .addInput({ hash: "ab".repeat(32), index: 1 })
    .addOutput({ address: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", value: 1000n })
    .toHex()
  const magic = "70736274ff"
  // <magic> 01 00 <size> <transaction> 00 00 00: the global map, then an empty map for each input and output.
  const size = psbt.slice(14, 16)
  const transaction = psbt.slice(16, 16 + 2 * Number.parseInt(size, 16))

  it("decode as bitcoinjs-lib writes them", () => {
    assert.strictEqual(psbt, `${magic}0100${size}${transaction}000000`)
    accepted("bitcoin-vm", psbt)
  })

  it("are refused with a size that is not in its shortest form", () => {
    refused("bitcoin-vm", `${magic}fd010000${size}${transaction}000000`)
    refused("bitcoin-vm", `${magic}0100fd${size}00${transaction}000000`)
    refused("bitcoin-vm", `${magic}0100fe${size}000000${transaction}000000`)
    refused("bitcoin-vm", `${magic}0100ff${size}00000000000000${transaction}000000`)
  })

  it("are refused with one key twice, a map too few or too many, or bytes after the end", () => {
    refused("bitcoin-vm", `${magic}0100${size}${transaction}0100${size}${transaction}000000`)
    accepted("bitcoin-vm", `${magic}0100${size}${transaction}0002fcaa01030000`)
    refused("bitcoin-vm", `${magic}0100${size}${transaction}0002fcaa010302fcaa01040000`)
    refused("bitcoin-vm", `${magic}0100${size}${transaction}0000`)
    refused("bitcoin-vm", `${magic}0100${size}${transaction}00000000`)
  })

  it("are refused when the transaction is signed, has no output, or more money than there is", () => {
    const signed = transaction.replace("0100000000ffffffff", "010000000151ffffffff")
    refused("bitcoin-vm", `${magic}0100${(Number.parseInt(size, 16) + 1).toString(16)}${signed}000000`)
    refused("bitcoin-vm", `${magic}0100${size}${transaction.replace("e803000000000000", "0140075af0750700")}000000`)
    accepted("bitcoin-vm", `${magic}0100${size}${transaction.replace("e803000000000000", "0040075af0750700")}000000`)
    refused("bitcoin-vm", `${magic}0100${size}${transaction.replace("e803000000000000", "ffffffffffffffff")}000000`)
  })
})

describe("transfer requests of Solana", () => {
  const zero = asAddress("11111111111111111111111111111111")
  const domain = Hex32.make(`0x${"00".repeat(32)}`)
  const numbers = { amount: 1n, nonce: 2n, expiration: -3n }

  it("are refused with an option that is neither none nor some, or with another length", () => {
    for (const [flag, extra] of [["00", 0], ["01", 32]] as const) {
      const text = "00".repeat(64) + flag + "00".repeat(extra + 24 + 32)
      accepted("solana-vm", text)
      refused("solana-vm", `${text}00`)
      refused("solana-vm", text.slice(2))
    }
    for (const flag of ["02", "ff"]) {
      for (const size of [0, 32, 64, 255 * 32]) {
        refused("solana-vm", "00".repeat(64) + flag + "00".repeat(size + 24 + 32))
      }
    }
  })

  it("have no encoding with numbers beyond their 64 bits", () => {
    const of = (change: Partial<typeof numbers>): Withdrawal => ({
      family: "solana-vm",
      request: { domain, recipient: zero, token: undefined, vault: zero, ...numbers, ...change }
    })
    assert.isTrue(Result.isSuccess(encodeWithdrawal(of({}))))
    for (
      const change of [{ amount: -1n }, { amount: 1n << 64n }, { nonce: 1n << 64n }, { expiration: 1n << 63n }, {
        expiration: -(1n << 63n) - 1n
      }]
    ) {
      assert.isTrue(Result.isFailure(encodeWithdrawal(of(change))))
    }
  })
})
