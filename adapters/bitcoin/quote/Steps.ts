/**
 * Orders with a Bitcoin origin as steps (BITCOIN-5): one PSBT that pays the depository, or for a payment within the
 * chain the recipient, names the order, and returns the rest to the user. Coins and fee are chosen before the order
 * exists, because every order's note has the same size.
 *
 * A deposit address is paid by the same PSBT without a note. Anybody may pay it, from an exchange for example, so the
 * user need not have the coins: then the step has an empty PSBT, and the address is all that is needed.
 *
 * Only coins in blocks that nothing in the mempool spends are used. A quote reserves none of them: of two quotes for
 * one user, the transaction that is sent first makes the other's invalid, or is replaced by it.
 */
import { Effect, Layer, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositUnfit, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { readStripped } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { writePsbt } from "../../../src/domain/families/bitcoin/Psbt.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { fundOutputs } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import type { Funding, NotFunded } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { keyScriptOf, p2wpkhOf } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
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

type Outgoing = Pick<NamedDeposit, "depositAddress"> & { readonly orderId: Hex32 }

/** A placeholder, for choosing coins before the order exists. */
const ANY: Outgoing = { orderId: Hex32.make(`0x${"ff".repeat(32)}`) }

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
}

const scriptOn = ({ network }: DepositIntent["origin"], address: string): Uint8Array =>
  Result.getOrThrowWith(scriptOfAddress(address, network), ({ reason }) => new Error(reason))

/** Undefined where no wallet can be shown how the user's coins are spent. */
const walletOf = ({ origin, user, userPublicKey }: DepositIntent): Wallet | undefined => {
  const script = scriptOn(origin, user)
  const owner = keyScriptOf(script, userPublicKey)
  return Result.isSuccess(owner) ? { script, owner: owner.success } : undefined
}

/** Of the same size for every deposit address, so that coins can be chosen before there is one: all are P2WPKH. */
const ANY_ADDRESS = p2wpkhOf(new Uint8Array(33))

const payeeOf = ({ origin, way }: DepositIntent, depositAddress: Address | undefined): Uint8Array => {
  switch (way._tag) {
    case "Depository":
      return scriptOn(origin, origin.depository)
    case "Send":
      return scriptOn(origin, way.recipient)
    case "Address":
      return depositAddress === undefined ? ANY_ADDRESS : scriptOn(origin, depositAddress)
    default:
      throw new Error(`no ${way._tag} on a Bitcoin chain: it was to be refused before`)
  }
}

const stepOf = (
  { currency, origin, way }: DepositIntent,
  psbt: string,
  { checkEndpoint, depositAddress, requestId }: NamedDeposit
): Step => ({
  id: way._tag === "Send" ? "send" : "deposit",
  action: "Confirm transaction in your wallet",
  description: `${way._tag === "Send" ? "Send" : "Deposit"} ${currency.symbol} on ${origin.name}`,
  kind: "transaction",
  requestId,
  ...(depositAddress === undefined ? {} : { depositAddress }),
  items: [{ status: "incomplete", data: { psbt }, check: { endpoint: checkEndpoint, method: "GET" } }]
})

const sum = (coins: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  coins.reduce((total, { amount }) => total + amount, 0n)

const outputsFor = (intent: DepositIntent, { depositAddress, orderId }: Outgoing) =>
  paymentOutputs({
    payee: payeeOf(intent, depositAddress),
    amount: intent.amount,
    orderId: intent.way._tag === "Address" ? undefined : orderId
  })

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
      outputs: outputsFor(intent, ANY),
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
  const change = outputs.slice(outputsFor(intent, ANY).length)
  return (named) => {
    const psbt = unsignedPsbt(shown, [...outputsFor(intent, named), ...change], owner)
    return [stepOf(intent, hexDigits(writePsbt(psbt)), named)]
  }
}

/** What can be paid by anybody, when the user's own coins do not. */
const unfunded = (intent: DepositIntent, userBalance: bigint): PreparedDeposit => ({
  userBalance,
  gas: 0n,
  steps: (named) => [stepOf(intent, "", named)]
})

const sumNamed = ({ named }: BitcoinCoins["Service"], { origin, user }: DepositIntent) =>
  Effect.orElseSucceed(Effect.map(named(origin, user), sum), () => 0n)

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const coins = yield* BitcoinCoins
    const { rate } = yield* BitcoinRates
    const funded = Effect.fnUntraced(function*(intent: DepositIntent, wallet: Wallet) {
      const offered = yield* rate(intent.origin)
      const { funding, userBalance } = yield* fundedBy(coins, intent, wallet, offered)
      return { userBalance, gas: funding.fee, steps: stepsOf(intent, wallet, funding) } satisfies PreparedDeposit
    })
    const anybody = (intent: DepositIntent) =>
      Effect.map(sumNamed(coins, intent), (userBalance) => unfunded(intent, userBalance))
    return StepBuilder.of({
      prepare: Effect.fn("StepBuilder.prepare")(function*(intent: DepositIntent) {
        const wallet = yield* Effect.sync(() => walletOf(intent))
        if (intent.way._tag === "Address") {
          // A payment that no node relays reaches no address either. All else is the concern of whoever pays.
          const isPayable = (failed: ChainUnavailable | DepositUnfit): boolean =>
            failed._tag === "ChainUnavailable" || failed.reason._tag !== "Dust"
          return wallet === undefined
            ? yield* anybody(intent)
            : yield* Effect.catchIf(funded(intent, wallet), isPayable, () => anybody(intent))
        }
        return wallet === undefined
          ? yield* Effect.die(new Error("a user whose coins no wallet can sign for: it was to be refused before"))
          : yield* funded(intent, wallet)
      })
    })
  })
)
