/**
 * Withdrawals on a Bitcoin chain: a PSBT of the depository's coins (BITCOIN-4), which bitcoinjs-lib signs with the
 * depository's key.
 *
 * The recipient bears the fee, so that the depository keeps what it owes to all others. On the hub the fee's units stay
 * on the withdrawal's account, which nobody can empty again.
 */
import { address as addresses, networks } from "bitcoinjs-lib"
import { Effect, Result, Schema } from "effect"
import { hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { FeeRate, feeOf } from "../../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { virtualBytesOf, weightOf } from "../../../../src/domain/families/bitcoin/spending/TransactionSize.ts"
import { bitcoinCodec } from "../../../../src/domain/families/bitcoin/BitcoinWithdrawal.ts"
import { listCoins } from "../../nodes/bitcoin/Faucet.ts"
import { keyOf } from "../../nodes/bitcoin/node/LocalKey.ts"
import { psbtOf, signed } from "../../nodes/bitcoin/node/Payment.ts"
import type { Plan } from "../../nodes/bitcoin/node/Payment.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import { mined } from "../demo/BitcoinWallet.ts"
import { amountText, btc } from "../demo/DemoChain.ts"
import type { BitcoinTarget, DraftWithdrawal, Wanted } from "./WithdrawalChain.ts"

/** What the local node estimates. */
const RATE = FeeRate(2_000n)
/** Satoshi. Nodes relay no output of less to a script of any kind. */
const LEAST = 546n

type Coin = Awaited<ReturnType<typeof listCoins>>[number]

/** The largest coins in blocks that cover the amount, with no change or with one that nodes relay. */
const covering = (coins: ReadonlyArray<Coin>, amount: bigint): ReadonlyArray<Coin> | undefined => {
  const chosen: Array<Coin> = []
  let sum = 0n
  for (const coin of coins.filter(({ status }) => status.confirmed).toSorted((a, b) => b.value - a.value)) {
    chosen.push(coin)
    sum += BigInt(coin.value)
    if (sum === amount || sum >= amount + LEAST) return chosen
  }
  return undefined
}

const planOf = (
  { depository, id }: BitcoinTarget,
  coins: ReadonlyArray<Coin>,
  { amount, recipient }: Wanted
): Result.Result<Plan & { readonly pays: bigint }, LocalnetError> => {
  const refused = (message: string) => Result.fail(new LocalnetError({ message }))
  const key = keyOf(Uint8Array.from(Buffer.from(depository.privateKey, "hex")))
  const chosen = covering(coins, amount)
  if (chosen === undefined) {
    return refused(`the depository of ${id} has no coins of ${amountText(amount, btc)} in blocks`)
  }
  const payee = addresses.toOutputScript(recipient, networks.regtest)
  const change = chosen.reduce((sum, { value }) => sum + BigInt(value), 0n) - amount
  const scripts = [payee, ...(change === 0n ? [] : [key.script])]
  const fee = feeOf(RATE, virtualBytesOf(weightOf(chosen.map(() => "P2WPKH" as const), scripts)))
  const pays = amount - fee
  if (pays < LEAST) {
    return refused(
      `${amountText(amount, btc)} do not cover the fee of ${amountText(fee, btc)} and an output that nodes relay`
    )
  }
  return Result.succeed({
    inputs: chosen.map(({ txid, value, vout }) => ({ id: txid, index: vout, value: BigInt(value), key })),
    outputs: [
      { script: payee, amount: pays },
      ...(change === 0n ? [] : [{ script: key.script, amount: change }])
    ],
    pays
  })
}

const Paid = Schema.Struct({
  vout: Schema.Array(Schema.Struct({ scriptpubkey_address: Schema.optionalKey(Schema.String), value: Schema.Int }))
})
const decodePaid = Schema.decodeUnknownSync(Paid)

const attempt = <A>(what: string, act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: (cause) => new LocalnetError({ message: `${what}: ${reasonOf(cause)}` }) })

/** What the transaction gave the recipient, once it is in a block. */
const execute = Effect.fnUntraced(function*(target: BitcoinTarget, plan: Plan, recipient: string) {
  const transaction = yield* attempt("the withdrawal was not sent", async () => {
    const answer = await fetch(`${target.explorerUrl}/tx`, { method: "POST", body: signed(plan).toHex() })
    if (answer.status !== 200) throw new Error(await answer.text())
    return answer.text()
  })
  yield* mined(target, transaction)
  const { vout } = yield* attempt(
    `transaction ${transaction}`,
    async () => decodePaid(await (await fetch(`${target.explorerUrl}/tx/${transaction}`)).json())
  )
  const arrived = vout.reduce(
    (sum, each) => each.scriptpubkey_address === recipient ? sum + BigInt(each.value) : sum,
    0n
  )
  return { transaction, arrived }
})

export const draftOn = (target: BitcoinTarget): DraftWithdrawal =>
  Effect.fnUntraced(function*(wanted) {
    const coins = yield* attempt("the depository's coins", () => listCoins(target, target.depository.address))
    const { pays, ...plan } = yield* Effect.fromResult(planOf(target, coins, wanted))
    const encoded = hexFromBytes(psbtOf(plan).toBuffer())
    const id = yield* Effect.orDie(Effect.fromResult(Result.flatMap(bitcoinCodec.decode(encoded), bitcoinCodec.idOf)))
    return { id, encoded, pays, execute: execute(target, plan, wanted.recipient) }
  })
