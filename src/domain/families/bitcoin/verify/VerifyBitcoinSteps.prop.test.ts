import { assert, describe, it } from "@effect/vitest"
import { Psbt } from "bitcoinjs-lib"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { OrderId } from "../../../order/Order.ts"
import { QuoteRequest } from "../../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../quote/request/ResolveRequest.ts"
import { bitcoinFee, walletOf } from "../../../quote/testing/BitcoinSteps.ts"
import { bitcoin, chains, evmAddress } from "../../../quote/testing/Chains.ts"
import { answer, now, settlement, solver } from "../../../quote/testing/SignedQuotes.ts"
import { verifyQuote } from "../../../quote/verify/VerifyQuote.ts"
import { Quote } from "../../../quote/wire/Quote.ts"
import { scriptOfAddress } from "../BitcoinScript.ts"
import { feeOf, LEAST_FEE_RATE, MOST_FEE_RATE } from "../spending/FeeRate.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"
import { wallets } from "../steps/testing/Wallets.ts"
import type { Wallet } from "../steps/testing/Wallets.ts"
import { bitcoinSteps } from "./VerifyBitcoinSteps.ts"

const expected = { chains, solver, settlement, now }

const bodyOf = ({ address, publicKey }: Wallet, changes: object = {}) => ({
  user: address,
  recipient: evmAddress("22"),
  originChainId: bitcoin.id,
  destinationChainId: 2,
  originCurrency: bitcoin.native.address,
  destinationCurrency: chains[1]?.native.address,
  amount: "70000000",
  tradeType: "EXACT_INPUT",
  includeProtocolData: true,
  ...(publicKey === undefined
    ? {}
    : { additionalData: { userPublicKey: Buffer.from(publicKey).toString("hex") } }),
  ...changes
})

const payment = {
  destinationChainId: bitcoin.id,
  destinationCurrency: bitcoin.native.address,
  recipient: "3P14159f73E4gFr7JterCCQh9QjiTjiZrG"
}

const psbtOf = ({ steps: [step] }: Quote): string => {
  const data = step?.items[0]?.data
  return data !== undefined && "psbt" in data ? data.psbt : assert.fail("no PSBT")
}

const withPsbt = (quote: Quote, psbt: string) => ({
  ...quote,
  steps: quote.steps.map((step) => ({ ...step, items: step.items.map((item) => ({ ...item, data: { psbt } })) }))
})

const flipped = (bytes: Uint8Array, at: number, bit: number): string => {
  const other = Buffer.from(bytes)
  other.writeUInt8((other[at] ?? 0) ^ (1 << bit), at)
  return other.toString("hex")
}

/** Where the PSBT names coins: an id and an index each, which only the chain can judge for a coin of segwit. */
const outpointsIn = (psbt: string): ReadonlyArray<readonly [from: number, to: number]> =>
  Psbt.fromHex(psbt).txInputs.map(({ hash, index }) => {
    const name = Buffer.from(hash).toString("hex") + Buffer.from(Uint32Array.of(index).buffer).toString("hex")
    const from = psbt.indexOf(name) / 2
    return [from, from + 36]
  })

/** The steps alone: the other checks of a quote take longer and do not look at bytes, but for the fee. */
const judged = (quote: Quote, body: object) => {
  const request = Result.getOrThrow(resolveRequest(Schema.decodeUnknownSync(QuoteRequest)(body), chains))
  const deposit = {
    request,
    orderId: OrderId.make(`0x${quote.protocol?.v2.orderId.slice(2) ?? ""}`),
    amount: BigInt(quote.protocol?.v2.paymentDetails.amount ?? 0),
    least: 0n,
    explicitDeposit: true
  }
  return (psbt: string) => {
    const changed = Schema.decodeUnknownSync(Quote)(withPsbt(quote, psbt))
    return bitcoinSteps.steps(changed.steps, deposit).every(({ outcome }) => outcome === "ok") &&
      bitcoinSteps.costs(changed, request).includes(bitcoinFee)
  }
}

for (const wallet of wallets) {
  for (const [what, body] of [["a deposit", bodyOf(wallet)], ["a send", bodyOf(wallet, payment)]] as const) {
    describe(`verifyQuote, of ${what} from ${wallet.kind}`, () => {
      const quote = Schema.decodeUnknownSync(Quote)(answer(body))
      const psbt = psbtOf(quote)
      const bytes = Uint8Array.from(Buffer.from(psbt, "hex"))
      const isAccepted = judged(quote, body)

      it("finds nothing wrong", () => {
        const { checks, ok } = verifyQuote(quote, body, expected)
        assert.deepStrictEqual(checks.filter(({ outcome }) => outcome !== "ok"), [])
        assert.isTrue(ok)
        assert.isTrue(isAccepted(psbt))
      })

      it("finds every tampered byte but the name of a segwit coin, with which the signature is invalid", () => {
        const outpoints = wallet.kind === "P2PKH" ? [] : outpointsIn(psbt)
        for (const [at] of bytes.entries()) {
          const isName = outpoints.some(([from, to]) => at >= from && at < to)
          assert.strictEqual(isAccepted(flipped(bytes, at, at % 8)), isName, `byte ${at}`)
        }
        fc.assert(
          fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
            const isName = outpoints.some(([from, to]) => at >= from && at < to)
            assert.strictEqual(isAccepted(flipped(bytes, at, bit)), isName)
          }),
          { numRuns: inputs(100, 5_000) }
        )
        for (const cut of [psbt.slice(2), psbt.slice(0, -2), `${psbt}00`, psbt.toUpperCase(), `0x${psbt}`, ""]) {
          assert.isFalse(isAccepted(cut))
        }
      })

      it("finds a payment to somebody else, another order, and a quote without its one step", () => {
        const elsewhere = chains.map((chain) =>
          chain.id === bitcoin.id
            ? { ...chain, depository: Result.getOrThrow(chain.family.addresses("mainnet").parse(payment.recipient)) }
            : chain
        )
        assert.isFalse(verifyQuote(quote, body, { ...expected, chains: elsewhere }).ok)
        const other = Schema.decodeUnknownSync(Quote)(answer({ ...body, amount: "70000001" }))
        assert.isFalse(isAccepted(psbtOf(other)))
        assert.isFalse(verifyQuote({ ...quote, steps: [...quote.steps, ...quote.steps] }, body, expected).ok)
        assert.isFalse(verifyQuote({ ...quote, steps: [] }, body, expected).ok)
      })
    })
  }
}

describe("verifyQuote, of a PSBT that bitcoinjs-lib has changed", () => {
  const [wallet] = wallets
  if (wallet === undefined) return assert.fail("no wallet")
  const body = bodyOf(wallet)
  const quote = Schema.decodeUnknownSync(Quote)(answer(body))
  const isAccepted = judged(quote, body)
  const original = () => Psbt.fromHex(psbtOf(quote))
  const stranger = Result.getOrThrow(scriptOfAddress(payment.recipient, "mainnet"))

  it("finds another output, another coin, and a note beside the transaction", () => {
    assert.isTrue(isAccepted(original().toHex()))
    assert.isFalse(isAccepted(original().addOutput({ script: stranger, value: 0n }).toHex()))
    assert.isFalse(isAccepted(original().addOutput({ script: wallet.script, value: 0n }).toHex()))
    for (const script of [wallet.script, stranger]) {
      const more = original().addInput({ hash: "cd".repeat(32), index: 0, witnessUtxo: { script, value: 1_000n } })
      assert.isFalse(isAccepted(more.toHex()))
    }
    assert.isFalse(isAccepted(original().updateInput(0, { sighashType: 1 }).toHex()))
    assert.isFalse(isAccepted(
      original().addUnknownKeyValToGlobal({
        key: Uint8Array.of(0xfc, 1),
        value: Uint8Array.of(1)
      }).toHex()
    ))
  })

  it("accepts the fee that the quote shows, between the lowest and the highest rate, and change that is no dust", () => {
    const weight = weightOf(["P2WPKH", "P2WPKH"], original().txOutputs.map(({ script }) => Uint8Array.from(script)))
    const least = feeOf(LEAST_FEE_RATE, virtualBytesOf(weight))
    const most = feeOf(MOST_FEE_RATE, virtualBytesOf(weight))
    const request = Result.getOrThrow(resolveRequest(Schema.decodeUnknownSync(QuoteRequest)(body), chains))
    const outcomeOf = (fee: bigint) => {
      const changed = original()
      const before = changed.txOutputs[2] ?? assert.fail("no change")
      const psbt = new Psbt()
      original().data.inputs.forEach(({ witnessUtxo }, at) => {
        const { hash, index, sequence } = original().txInputs[at] ?? assert.fail("no input")
        if (witnessUtxo === undefined || sequence === undefined) return assert.fail("not segwit")
        psbt.addInput({ hash, index, sequence, witnessUtxo })
      })
      changed.txOutputs.slice(0, 2).forEach(({ script, value }) => psbt.addOutput({ script, value }))
      const value = before.value + bitcoinFee - fee
      psbt.addOutput({ script: before.script, value })
      const steps = Schema.decodeUnknownSync(Quote)(withPsbt(quote, psbt.toHex()))
      assert.deepStrictEqual(bitcoinSteps.costs(steps, request), [fee])
      return bitcoinSteps.steps(steps.steps, {
        request,
        orderId: OrderId.make(`0x${quote.protocol?.v2.orderId.slice(2) ?? ""}`),
        amount: 70_000_000n,
        least: 0n,
        explicitDeposit: true
      }).filter(({ outcome }) => outcome !== "ok").map(({ name }) => name)
    }
    assert.deepStrictEqual(outcomeOf(least), [])
    assert.deepStrictEqual(outcomeOf(least - 1n), ["deposit 0 fee"])
    assert.deepStrictEqual(outcomeOf(most), [])
    assert.deepStrictEqual(outcomeOf(most * 2n), ["deposit 0 fee"])
    assert.deepStrictEqual(outcomeOf(40_000_000n - 293n), ["deposit 0 change", "deposit 0 fee"])
    assert.strictEqual(walletOf(wallet.address), wallet)
  })
})
