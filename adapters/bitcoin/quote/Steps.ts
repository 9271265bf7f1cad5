/**
 * Orders with a Bitcoin origin as steps (BITCOIN-5): one PSBT that pays the depository, or for a payment within the
 * chain the recipient, names the order, and returns the rest to the user. Coins and fee are chosen before the order
 * exists, because every order's note has the same size.
 *
 * Only coins in blocks that nothing in the mempool spends are used. A quote reserves none of them: of two quotes for
 * one user, the transaction that is sent first makes the other's invalid, or is replaced by it.
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
import type { Funding, NotFunded } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { keyScriptOf } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import type { KeyScript } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import { paymentOutputs } from "../../../src/domain/families/bitcoin/steps/PaymentOutputs.ts"
import { unsignedPsbt } from "../../../src/domain/families/bitcoin/steps/UnsignedPsbt.ts"
import type { ShownCoin } from "../../../src/domain/families/bitcoin/steps/UnsignedPsbt.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { BitcoinCoins } from "../coins/ListCoins.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"

/** Coins of a user that one read asks for. */
const COINS_AT_ONCE = 20

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

const sum = (coins: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  coins.reduce((total, { amount }) => total + amount, 0n)

const outputsFor = ({ amount }: DepositIntent, { payee }: Wallet, orderId: Hex32) =>
  paymentOutputs({ payee, amount, orderId })

/**
 * The coins that pay, largest first. Anybody can name an address with hundreds of coins, each made by a transaction of
 * a hundred kilobytes, so a node is asked for no more of them than the payment takes.
 */
const fundedBy = Effect.fnUntraced(function*(
  { check, named }: BitcoinCoins["Service"],
  intent: DepositIntent,
  wallet: Wallet,
  rate: FeeRate
) {
  const { origin, user } = intent
  const held = yield* named(origin, user)
  const coins: Array<ListedCoin> = []
  const fund = () =>
    fundOutputs({
      coins,
      kind: wallet.owner._tag,
      outputs: outputsFor(intent, wallet, ANY_ID),
      change: wallet.script,
      rate
    })
  let [from, funded] = [0, fund()]
  while (from < held.length && Result.isFailure(funded) && funded.failure._tag === "Insufficient") {
    coins.push(...yield* check(origin, user, held.slice(from, from + COINS_AT_ONCE), "mempool"))
    from += COINS_AT_ONCE
    funded = fund()
  }
  const funding = yield* Effect.fromResult(Result.mapError(funded, unfitOf))
  // Those that were not needed, by the explorer's word.
  return { funding, userBalance: sum(coins) + sum(held.slice(from)) }
})

const stepsOf = (
  intent: DepositIntent,
  wallet: Wallet,
  { coins, outputs }: Funding<ListedCoin>
): PreparedDeposit["steps"] => {
  const { owner, script } = wallet
  const shown = coins.map((coin) => shownAs(coin, owner, script))
  const change = outputs.slice(outputsFor(intent, wallet, ANY_ID).length)
  return (named) => {
    const psbt = unsignedPsbt(shown, [...outputsFor(intent, wallet, named.orderId), ...change], owner)
    return [stepOf(intent, hexDigits(writePsbt(psbt)), named)]
  }
}

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const coins = yield* BitcoinCoins
    const { rate } = yield* BitcoinRates
    return StepBuilder.of({
      prepare: Effect.fn("StepBuilder.prepare")(function*(intent: DepositIntent) {
        const wallet = yield* Effect.sync(() => walletOf(intent))
        const offered = yield* rate(intent.origin)
        const { funding, userBalance } = yield* fundedBy(coins, intent, wallet, offered)
        return { userBalance, gas: funding.fee, steps: stepsOf(intent, wallet, funding) }
      })
    })
  })
)
