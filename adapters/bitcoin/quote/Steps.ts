/**
 * Orders with a Bitcoin origin as steps (BITCOIN-5): one PSBT that pays the depository, or for a payment within the
 * chain the recipient, names the order, and returns the rest to the user. Coins and fee are chosen before the order
 * exists, because every order's note has the same size.
 *
 * Only coins in blocks that nothing in the mempool spends are used. A quote reserves none of them: of two quotes for one
 * user, the transaction that is sent first makes the other's invalid, or is replaced by it.
 */
import { Effect, Layer, Result } from "effect"
import { DepositUnfit, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { readStripped } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { writePsbt } from "../../../src/domain/families/bitcoin/Psbt.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { fundOutputs } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import type { NotFunded } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { keyScriptOf } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import type { KeyScript } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import { paymentOutputs } from "../../../src/domain/families/bitcoin/steps/PaymentOutputs.ts"
import { unsignedPsbt } from "../../../src/domain/families/bitcoin/steps/UnsignedPsbt.ts"
import type { ShownCoin } from "../../../src/domain/families/bitcoin/steps/UnsignedPsbt.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { BitcoinCoins } from "../coins/ListCoins.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"

/** A placeholder, for choosing coins before the order exists. */
const ANY_ID = Hex32.make(`0x${"ff".repeat(32)}`)

const unfitOf = (refusal: NotFunded): DepositUnfit => {
  switch (refusal._tag) {
    case "Insufficient":
      return new DepositUnfit({
        reason: { _tag: "UserUnfunded", needed: refusal.needed, payable: refusal.payable }
      })
    case "TooLarge":
      return new DepositUnfit({ reason: { _tag: "TooManyCoins", coins: refusal.coins } })
    case "Dust":
      return new DepositUnfit({ reason: { _tag: "Dust", least: refusal.least } })
  }
}

/** What a wallet has to be shown of a coin. */
const shownAs = ({ amount, index, source, transactionId }: ListedCoin, owner: KeyScript, script: Uint8Array) =>
  ({
    transactionId,
    index,
    shown: owner._tag === "P2PKH"
      ? { _tag: "Source", transaction: readStripped(source)?.stripped ?? source }
      : { _tag: "Output", output: { amount, script } }
  }) satisfies ShownCoin

/** Everything that the steps of one user need. */
interface Wallet {
  readonly owner: KeyScript
  readonly script: Uint8Array
  readonly payee: Uint8Array
}

/** The request's own checks have accepted these addresses and this key. */
const walletOf = ({ origin, user, userPublicKey, way }: DepositIntent): Wallet => {
  if (way._tag !== "Depository" && way._tag !== "Send") {
    throw new Error(`no ${way._tag} on a Bitcoin chain: it was to be refused before`)
  }
  const scriptOf = (address: string) =>
    Result.getOrThrowWith(scriptOfAddress(address, origin.network), ({ reason }) => new Error(reason))
  const script = scriptOf(user)
  return {
    script,
    owner: Result.getOrThrowWith(keyScriptOf(script, userPublicKey), ({ _tag }) => new Error(_tag)),
    payee: scriptOf(way._tag === "Send" ? way.recipient : origin.depository)
  }
}

const stepOf = (
  { currency, origin, way }: DepositIntent,
  psbt: string,
  { checkEndpoint, requestId }: NamedDeposit
): Step => ({
  id: way._tag === "Send" ? "send" : "deposit",
  action: "Confirm transaction in your wallet",
  description: `${way._tag === "Send" ? "Send" : "Deposit"} ${currency.symbol} on ${origin.name}`,
  kind: "transaction",
  requestId,
  items: [{ status: "incomplete", data: { psbt }, check: { endpoint: checkEndpoint, method: "GET" } }]
})

const prepared = (
  intent: DepositIntent,
  { owner, payee, script }: Wallet,
  coins: ReadonlyArray<ListedCoin>,
  rate: FeeRate
): Result.Result<PreparedDeposit, DepositUnfit> => {
  const outputsFor = (orderId: Hex32) => paymentOutputs({ payee, amount: intent.amount, orderId })
  const outputs = outputsFor(ANY_ID)
  const funded = fundOutputs({ coins, kind: owner._tag, outputs, change: script, rate })
  return Result.mapBoth(funded, {
    onFailure: unfitOf,
    onSuccess: ({ coins: spent, fee, outputs: all }) => {
      const shown = spent.map((coin) => shownAs(coin, owner, script))
      const change = all.slice(outputs.length)
      return {
        userBalance: coins.reduce((sum, { amount }) => sum + amount, 0n),
        gas: fee,
        steps: (named) => [
          stepOf(
            intent,
            hexDigits(writePsbt(unsignedPsbt(shown, [...outputsFor(named.orderId), ...change], owner))),
            named
          )
        ]
      }
    }
  })
}

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const { list } = yield* BitcoinCoins
    const { rate } = yield* BitcoinRates
    return StepBuilder.of({
      prepare: Effect.fn("StepBuilder.prepare")(function*(intent: DepositIntent) {
        const wallet = yield* Effect.sync(() => walletOf(intent))
        const [coins, offered] = yield* Effect.all(
          [list(intent.origin, intent.user, "mempool"), rate(intent.origin)],
          { concurrency: 2 }
        )
        return yield* Effect.fromResult(prepared(intent, wallet, coins, offered))
      })
    })
  })
)
