/**
 * A transfer as the ledger of an account shows it at one endpoint of exchange A (EXCHANGEA-3): for when the explorer's
 * quota is used up and the request says whose ledger and when. It is the same endpoint's word, and counts under the
 * quorum as its explorer's would.
 *
 * SECURITY: a hint says where to look and nothing else; what has another hash is not looked at. A ledger does not say
 * everything, so where something is missing there is no voice: the nonce of `usdSend`, what the depository signed,
 * which account a sub-account belongs to, and the network, of which the list of tokens is proof on the main one only.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Hints } from "../../../src/domain/families/Hints.ts"
import type { SentTransfer } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { isSend, LedgerAnswer, RoleAnswer, TokensAnswer } from "../decode/NodeAnswers.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { undecodable } from "./ReadTime.ts"

const decodeLedger = Schema.decodeUnknownEffect(LedgerAnswer)
const decodeRole = Schema.decodeUnknownEffect(RoleAnswer)
const decodeTokens = Schema.decodeUnknownEffect(TokensAnswer)

/** Around the time that was named. */
const WINDOW_MS = 600_000

/** USDC's, on the main network alone. */
const MAINNET_USDC = "0x6d1e7cde53ba9467b783cb7c530ce054"

/** As one word. */
export const hintOf = ({ "exchangea-vm": hint }: Hints): string | undefined =>
  hint === undefined ? undefined : `${hint.user}:${hint.timestamp}`

export interface LedgerTransfer {
  readonly sent: SentTransfer
  /** Milliseconds. */
  readonly time: number
}

/** What the explorer said, said again: this endpoint has no word on it. */
const silent = Effect.fail<ReadFault>("over-quota")

/** The one token of that name on a list that is of the main network. */
const tokenNamed = Effect.fnUntraced(function*(rpc: ExchangeAClient, name: string, deadline: number) {
  const { tokens } = yield* undecodable(decodeTokens(yield* rpc.info({ type: "spotMeta" }, deadline)))
  if (!tokens.some(({ tokenId }) => tokenId.toLowerCase() === MAINNET_USDC)) {
    return yield* Effect.fail<ReadFault>("wrong-chain")
  }
  const [token, another] = tokens.filter((each) => each.name === name)
  return token === undefined || another !== undefined ? yield* silent : token
})

const windowOf = (hint: string) => {
  const [user = "", timestamp = ""] = hint.split(":")
  return { user, startTime: Math.max(0, Number(timestamp) - WINDOW_MS), endTime: Number(timestamp) + WINDOW_MS }
}

/** The transfer of that hash. Errors: `over-quota` where the ledger does not show it, or not enough of it. */
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
