/** Transactions of bitcoin-vm for tests, built and serialized by bitcoinjs-lib, an independent implementation. */
import { assert } from "@effect/vitest"
import { Transaction } from "bitcoinjs-lib"
import { Result } from "effect"
import * as fc from "fast-check"
import { bitcoinAddresses } from "../../BitcoinAddresses.ts"
import { scriptOfAddress } from "../../BitcoinScript.ts"
import type { SpendingTransaction } from "../SpentCoins.ts"
import { readBtcTransaction } from "../BtcTransaction.ts"

export const network = "regtest"
const codec = bitcoinAddresses(network)

/** The account with this number. The numbers cover every kind of script. */
export const account = (number: number) =>
  Result.getOrThrow(
    codec.fromBytes(
      number % 3 === 0
        ? Uint8Array.of(0xff, 0x6f, ...new Uint8Array(20).fill(number))
        : Uint8Array.of(number % 3 === 1 ? 0 : 1, ...new Uint8Array(number % 3 === 1 ? 20 : 32).fill(number))
    )
  )

export const scriptOf = (address: string): Uint8Array => Result.getOrThrow(scriptOfAddress(address, network))

export const depository = { address: account(50), network } as const

export const pushForms = ["direct", "pushdata1", "pushdata2", "pushdata4"] as const

/** OP_RETURN with one push in this form. A direct push holds at most 75 bytes. */
export const opReturn = (data: Uint8Array, form: typeof pushForms[number]): Uint8Array => {
  const size = data.length
  const lengths = {
    direct: size <= 75 ? [size] : [0x4c, size],
    pushdata1: [0x4c, size],
    pushdata2: [0x4d, size & 0xff, size >> 8],
    pushdata4: [0x4e, size & 0xff, size >> 8, 0, 0]
  }
  return Uint8Array.of(0x6a, ...lengths[form], ...data)
}

export const text = (said: string): Uint8Array => new TextEncoder().encode(said)

export interface Made {
  /** The script of each spent coin: of an account, or one without an address. */
  readonly spent: ReadonlyArray<Uint8Array>
  readonly outputs: ReadonlyArray<{ readonly script: Uint8Array; readonly amount: bigint }>
  readonly segwit: boolean
}

export const built = ({ outputs, segwit, spent }: Made): Transaction => {
  const transaction = new Transaction()
  transaction.version = 2
  spent.forEach((_, at) => {
    transaction.addInput(new Uint8Array(32).fill(at + 1), at, 0xfffffffd, segwit ? undefined : new Uint8Array(at % 5))
    if (segwit) transaction.setWitness(at, [new Uint8Array(71).fill(at), new Uint8Array(33)])
  })
  for (const { amount, script } of outputs) transaction.addOutput(script, amount)
  return transaction
}

export const transactionOf = (made: Made): SpendingTransaction => {
  const read = readBtcTransaction(Uint8Array.from(built(made).toBuffer()))
  if (read === undefined) return assert.fail("it does not read")
  return { ...read, spent: made.spent }
}

/** Has no address: it pays a key instead of the key's hash. */
export const bare = Uint8Array.of(0x21, ...new Uint8Array(33).fill(2), 0xac)

export const users = fc.integer({ min: 1, max: 6 }).map(account)
export const amounts = fc.oneof(fc.constantFrom(0n, 1n, 546n), fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }))
export const ids = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) =>
  `0x${Buffer.from(bytes).toString("hex")}`
)
