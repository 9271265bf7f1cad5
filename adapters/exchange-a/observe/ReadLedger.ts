/**
 * A transfer, read from an account's ledger at one endpoint of exchange A (EXCHANGEA-3). Used when the explorer's quota
 * is used up and the request names the account and the time. The reading counts under the quorum like one from the
 * endpoint's explorer.
 *
 * SECURITY: a hint only says where to look. Entries with another hash are ignored. A ledger lacks some facts, and
 * without them the endpoint has no vote: the nonce of `usdSend`, what the depository signed, the owner of a
 * sub-account, and the network. The network is proven by the list of tokens, on the main network only.
 */
import { Effect, Option, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { TransferHint } from "../../../src/domain/families/exchange-a/TransferHint.ts"
import { PERPS_TOKEN } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import type { SentTransfer } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { isSend, LedgerAnswer, RoleAnswer, TokensAnswer } from "../decode/NodeAnswers.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { undecodable } from "./ReadTime.ts"

const decodeLedger = Schema.decodeUnknownEffect(LedgerAnswer)
const decodeRole = Schema.decodeUnknownEffect(RoleAnswer)
const decodeTokens = Schema.decodeUnknownEffect(TokensAnswer)

/** Around the given time. */
const WINDOW_MS = 600_000

const decodeHint = Schema.decodeUnknownOption(TransferHint)

/** The hint as one word. Undefined for what is no hint of the family. */
export const hintOf = (hint: Schema.Json): string | undefined =>
  Option.getOrUndefined(Option.map(decodeHint(hint), ({ timestamp, user }) => `${user}:${timestamp}`))

export interface LedgerTransfer {
  readonly sent: SentTransfer
  /** Milliseconds. */
  readonly time: number
}

/** Repeats the explorer's fault: this endpoint has no vote. */
const silent = Effect.fail<ReadFault>("over-quota")

/** The only token of that name, on a list of the main network. */
const tokenNamed = Effect.fnUntraced(function*(rpc: ExchangeAClient, name: string, deadline: number) {
  const { tokens } = yield* undecodable(decodeTokens(yield* rpc.info({ type: "spotMeta" }, deadline)))
  if (!tokens.some(({ tokenId }) => tokenId.toLowerCase() === PERPS_TOKEN)) {
    return yield* Effect.fail<ReadFault>("wrong-chain")
  }
  const [token, another] = tokens.filter((each) => each.name === name)
  return token === undefined || another !== undefined ? yield* silent : token
})

const windowOf = (hint: string) => {
  const [user = "", timestamp = ""] = hint.split(":")
  return { user, startTime: Math.max(0, Number(timestamp) - WINDOW_MS), endTime: Number(timestamp) + WINDOW_MS }
}

/** The transfer with that hash. Errors: `over-quota` when the ledger does not show it, or lacks a fact. */
export const readLedger = Effect.fnUntraced(
  function*(
    rpc: ExchangeAClient,
    chain: Chain,
    id: TransactionId,
    hint: string,
    deadline: number
  ): Effect.fn.Return<LedgerTransfer, ReadFault> {
    if (chain.network !== "mainnet") return yield* silent
    const updates = yield* undecodable(
      decodeLedger(yield* rpc.info({ type: "userNonFundingLedgerUpdates", ...windowOf(hint) }, deadline))
    )
    const [found, another] = updates.filter(({ hash }) => hash.toLowerCase() === id)
    if (found === undefined || another !== undefined || !isSend(found.delta) || found.delta.user === chain.depository) {
      return yield* silent
    }
    const { amount, destination, destinationDex, nonce, sourceDex, token: name, user } = found.delta
    const [token, { role }] = yield* Effect.all([
      tokenNamed(rpc, name, deadline),
      Effect.flatMap(rpc.info({ type: "userRole", user }, deadline), (said) => undecodable(decodeRole(said)))
    ], { concurrency: "unbounded" })
    if (role !== "user") return yield* silent
    const transfer = {
      _tag: "SendAsset",
      hyperliquidChain: "Mainnet",
      destination,
      sourceDex,
      destinationDex,
      token: `${name}:${token.tokenId.toLowerCase()}`,
      amount,
      fromSubAccount: "",
      nonce: BigInt(nonce)
    } as const
    return { sent: { sender: user, transfer }, time: found.time }
  }
)
