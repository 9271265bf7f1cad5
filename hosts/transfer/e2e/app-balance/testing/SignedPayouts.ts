/** Claims and withdrawals as a wallet makes them: typed data signed by viem, sent over HTTP, without our code. */
import { Effect, Schema } from "effect"
import type { Address, Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { TestChains } from "../../../testing/TestChains.ts"
import { USDC } from "../../../testing/Tokens.ts"
import { post } from "../../../testing/Client.ts"
import { get } from "../../../testing/Get.ts"
import { eventually } from "../../../testing/Misbehaving.ts"

const Money = Schema.Struct({ chainId: Schema.Int, currency: Schema.String, amount: Schema.String })

export const PayoutAnswer = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  status: Schema.String,
  wallet: Schema.String,
  recipient: Schema.String,
  nonce: Schema.String,
  taken: Money,
  paid: Money,
  txHash: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  endedAt: Schema.NullOr(Schema.String)
})
export type PayoutAnswer = typeof PayoutAnswer.Type

const decode = Schema.decodeUnknownEffect(PayoutAnswer)

export interface Asked {
  readonly kind: "claim" | "withdraw" | "settle"
  readonly recipient: Address
  readonly amount: bigint
  readonly nonce: bigint
  /** Seconds. Default: ten minutes from now. */
  readonly deadline?: number
  readonly chainId?: number
  /** As the service shows it. */
  readonly currency?: string
  /** The owner of the money. Default: the signer. */
  readonly wallet?: Address
}

const fields = [
  { name: "wallet", type: "address" },
  { name: "recipient", type: "address" },
  { name: "currencyChainId", type: "uint256" },
  { name: "currency", type: "string" },
  { name: "amount", type: "uint256" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" }
] as const

/** Path and body of a payout that a key signs. */
export const signPayout = ({ beta, solver }: TestChains, key: Hex, asked: Asked) =>
  Effect.promise(async () => {
    const account = privateKeyToAccount(key)
    const {
      amount,
      chainId = beta.chainId,
      currency = USDC.address,
      kind,
      nonce,
      recipient,
      wallet = account.address
    } = asked
    const deadline = asked.deadline ?? Math.floor(Date.now() / 1000) + 600
    const primaryType = { claim: "ClaimAppFees", withdraw: "WithdrawAppBalance", settle: "SettleAppFees" }[kind]
    const signature = await account.signTypedData({
      domain: { name: "Causeway", version: "1", chainId: beta.chainId, verifyingContract: solver },
      types: { [primaryType]: [...fields] },
      primaryType,
      message: {
        wallet,
        recipient,
        currencyChainId: BigInt(chainId),
        currency: currency.startsWith("0x") ? currency.toLowerCase() : currency,
        amount,
        nonce,
        deadline: BigInt(deadline)
      }
    })
    return {
      path: `/app-fees/${wallet}/${kind}`,
      body: { recipient, chainId, currency, amount: amount.toString(), nonce: nonce.toString(), deadline, signature }
    }
  })

/** Signs and sends. Returns the undecoded answer. */
export const sendPayout = Effect.fnUntraced(function*(url: string, chains: TestChains, key: Hex, asked: Asked) {
  const { body, path } = yield* signPayout(chains, key, asked)
  return yield* post(`${url}${path}`, body)
})

/** Signs and sends a payout that must be accepted. */
export const askPayout = Effect.fnUntraced(function*(url: string, chains: TestChains, key: Hex, asked: Asked) {
  const answer = yield* sendPayout(url, chains, key, asked)
  if (answer.status !== 200) return yield* Effect.die(new Error(`${asked.kind}: ${answer.status} ${answer.text}`))
  return yield* Effect.orDie(decode(answer.json()))
})

/** The error code of a payout that must be refused. */
export const refusalOf = Effect.fnUntraced(function*(url: string, chains: TestChains, key: Hex, asked: Asked) {
  const answer = yield* sendPayout(url, chains, key, asked)
  const body = Schema.decodeUnknownSync(Schema.Struct({ errorCode: Schema.optionalKey(Schema.String) }))(answer.json())
  return `${answer.status} ${body.errorCode ?? ""}`
})

/** Waits until a payout has ended. */
export const payoutEnded = ({ id, wallet }: PayoutAnswer, url: string) =>
  eventually(
    `payout ${id} ends`,
    Effect.flatMap(get(`${url}/app-fees/${wallet}/payouts/${id}`), (answer) => Effect.orDie(decode(answer.json()))),
    ({ status }) => status !== "pending"
  )

const AmountAnswer = Schema.Struct({
  currency: Schema.Struct({
    chainId: Schema.Int,
    address: Schema.String,
    symbol: Schema.String,
    name: Schema.String,
    decimals: Schema.Int
  }),
  amount: Schema.String,
  amountFormatted: Schema.String,
  amountUsd: Schema.String,
  minimumAmount: Schema.String
})

const BalanceAnswer = Schema.Struct({
  ...AmountAnswer.fields,
  balances: Schema.Array(AmountAnswer),
  totalBalanceUsd: Schema.String,
  availableBalanceUsd: Schema.String,
  claimable: Schema.Array(AmountAnswer),
  pending: Schema.Array(AmountAnswer),
  owed: Schema.Array(Schema.Struct({ ...AmountAnswer.fields, recipient: Schema.String }))
})

const decodeBalance = Schema.decodeUnknownEffect(BalanceAnswer, { onExcessProperty: "error" })

export const balanceOf = (url: string, wallet: string) =>
  Effect.flatMap(get(`${url}/app-fees/${wallet}/balances`), (answer) => Effect.orDie(decodeBalance(answer.json())))
