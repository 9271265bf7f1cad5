/**
 * A deposit from every kind of address: the PSBT is bitcoinjs's own, its wallet signs it, and the transaction that it
 * broadcasts makes the deposit as solver and oracle read it.
 */
import { assert, describe, it } from "@effect/vitest"
import { networks, Psbt, toXOnly } from "bitcoinjs-lib"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import { bitcoinAddresses } from "../BitcoinAddresses.ts"
import { scriptOfAddress } from "../BitcoinScript.ts"
import { readBtcTransaction, readStripped } from "../evidence/BtcTransaction.ts"
import { depositsOf } from "../evidence/Deposits.ts"
import { orderIdsOf } from "../evidence/Payments.ts"
import { readPsbt, writePsbt } from "../Psbt.ts"
import { feeOf, FeeRate } from "../spending/FeeRate.ts"
import { fundOutputs } from "../spending/FundOutputs.ts"
import { keyScriptOf } from "../spending/KeyScript.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"
import { paymentOutputs } from "./PaymentOutputs.ts"
import { spendingIn } from "./ReadCoins.ts"
import { publicKey, shownCoin, sourceOf, strippedSource, wallets } from "./testing/Wallets.ts"
import type { Wallet } from "./testing/Wallets.ts"
import { unsignedPsbt } from "./UnsignedPsbt.ts"

const codec = bitcoinAddresses("mainnet")
const depository = {
  address: Result.getOrThrow(codec.parse("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")),
  network: "mainnet"
} as const
const payee = Result.getOrThrow(scriptOfAddress(depository.address, "mainnet"))
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const deposits = fc.record({
  orderId: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Hex32.make(`0x${hex(bytes)}`)),
  amount: fc.bigInt({ min: 294n, max: 100_000_000n }),
  rate: fc.bigInt({ min: 100n, max: 200_000n }).map((rate) => FeeRate(rate)),
  held: fc.array(fc.bigInt({ min: 10_000n, max: 100_000_000n }), { minLength: 1, maxLength: 5 })
})
type Deposit = typeof deposits extends fc.Arbitrary<infer A> ? A : never

const made = (wallet: Wallet, { amount, held, orderId, rate }: Deposit) => {
  const owner = Result.getOrThrow(keyScriptOf(wallet.script, wallet.publicKey))
  const outputs = paymentOutputs({ payee, amount, orderId })
  const coins = held.map((each, nonce) => shownCoin(wallet, each, nonce))
  const funded = fundOutputs({ coins, kind: owner._tag, outputs, change: wallet.script, rate })
  if (Result.isFailure(funded)) return undefined
  return { funding: funded.success, psbt: unsignedPsbt(funded.success.coins, funded.success.outputs, owner) }
}

/** The same by bitcoinjs, from the wallet's own knowledge. */
const reference = (
  wallet: Wallet,
  { coins, outputs }: NonNullable<ReturnType<typeof made>>["funding"],
  from: Deposit
) => {
  const psbt = new Psbt({ network: networks.bitcoin })
  for (const coin of coins) {
    const source = strippedSource(wallet, coin.amount, from.held.indexOf(coin.amount))
    const witnessUtxo = { script: wallet.script, value: coin.amount }
    psbt.addInput({
      hash: coin.transactionId,
      index: coin.index,
      sequence: 0xfffffffd,
      ...(wallet.kind === "P2PKH" ? { nonWitnessUtxo: source } : { witnessUtxo }),
      ...(wallet.kind === "P2SH-P2WPKH"
        ? { redeemScript: nested() }
        : {}),
      ...(wallet.kind === "P2TR" ? { tapInternalKey: toXOnly(publicKey) } : {})
    })
  }
  for (const { amount, script } of outputs) psbt.addOutput({ script, value: amount })
  return psbt
}

/** The P2WPKH script of the same key. */
const nested = (): Uint8Array => wallets.find(({ kind }) => kind === "P2WPKH")?.script ?? assert.fail("none")

describe("a deposit's PSBT", () => {
  for (const wallet of wallets) {
    it(`is bitcoinjs's own, byte for byte, for ${wallet.kind}`, () => {
      fc.assert(
        fc.property(deposits, (deposit) => {
          fc.pre(new Set(deposit.held).size === deposit.held.length)
          const own = made(wallet, deposit)
          if (own === undefined) return
          const bytes = writePsbt(own.psbt)
          assert.strictEqual(hex(bytes), reference(wallet, own.funding, deposit).toHex())
          const read = readPsbt(bytes) ?? assert.fail("it does not read")
          const spending = spendingIn(read, wallet.script) ?? assert.fail("not the wallet's coins")
          assert.strictEqual(spending.owner._tag, wallet.kind)
          assert.deepStrictEqual(
            spending.coins.map(({ amount, index, transactionId }) => ({ amount, index, transactionId })),
            own.funding.coins.map(({ amount, index, transactionId }) => ({ amount, index, transactionId }))
          )
        }),
        { numRuns: inputs(60, 2_000) }
      )
    })

    it(`is signed by a wallet and makes the quoted deposit, for ${wallet.kind}`, () => {
      fc.assert(
        fc.property(deposits, (deposit) => {
          const own = made(wallet, deposit)
          if (own === undefined) return
          const signed = wallet.signed(hex(writePsbt(own.psbt)))
          const { coins, fee, outputs } = own.funding
          const weight = weightOf(coins.map(() => wallet.kind), outputs.map(({ script }) => script))
          // A signature is up to two bytes shorter than its longest form, rarely three.
          assert.isAtMost(signed.weight(), weight)
          assert.isAtLeast(signed.weight(), weight - coins.length * 4 * 5)
          assert.isTrue(fee >= feeOf(deposit.rate, virtualBytesOf(signed.weight())))
          const transaction = readBtcTransaction(Uint8Array.from(signed.toBuffer())) ?? assert.fail("unreadable")
          assert.deepStrictEqual(orderIdsOf(transaction), [deposit.orderId])
          assert.deepStrictEqual(depositsOf({ ...transaction, spent: coins.map(() => wallet.script) }, depository), [{
            depository: depository.address,
            index: 1,
            depositId: deposit.orderId,
            depositor: Result.getOrThrow(codec.parse(wallet.address)),
            currency: codec.nativeCurrency,
            amount: deposit.amount
          }])
        }),
        { numRuns: inputs(10, 300) }
      )
    })
  }

  it("shows the source of a P2PKH coin without witnesses, so that its id covers every byte", () => {
    const wallet = wallets.find(({ kind }) => kind === "P2PKH") ?? assert.fail("none")
    const source = sourceOf(wallet, 5_000n, 1)
    const stripped = readStripped(Uint8Array.from(source.toBuffer())) ?? assert.fail("unreadable")
    assert.strictEqual(stripped.id, source.getId())
    assert.deepEqual(shownCoin(wallet, 5_000n, 1).shown, { _tag: "Source", transaction: stripped.stripped })
  })
})
