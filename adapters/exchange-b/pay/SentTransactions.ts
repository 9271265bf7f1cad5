/**
 * The transactions that the solver's account has sent on exchange B, by each of its API keys (EXCHANGEB-24).
 *
 * Sequences are the nonces of an API key, and heights are seconds of the exchange's clock. Each key is an account.
 */
import { Effect, Layer } from "effect"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { AccountPosition, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { readPosition, sentBetween } from "../../endpoints/sent/SentRead.ts"
import { nonceIn } from "../decode/PaymentAnswers.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import type { ExchangeBFault, ExchangeBRead } from "../rpc/ExchangeBRpc.ts"
import { confirmedTime } from "./Broadcasting.ts"
import { tokenFor } from "./Landing.ts"
import { readListed, readMillis, readNonce } from "./ReadSent.ts"
import { sentReads } from "./ReadSentPayments.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { submitNothing } from "./UseUp.ts"

/** The newest second that is over. `now` in milliseconds. */
const lastSecond = (now: number): bigint => BigInt(Math.floor(now / 1_000)) - 1n

/**
 * `finalSequence` leaves out what was taken after `height`: the second is not over, so that `between` does not show it.
 */
const readPositionOf = (solver: SolverAccount["Service"], apiKey: bigint): ExchangeBRead<AccountPosition> =>
  Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<AccountPosition, ExchangeBFault> {
    const now = yield* readMillis(client, deadline)
    const height = lastSecond(now)
    const sequence = yield* readNonce(client, solver, apiKey, deadline)
    const since = Number(height + 1n) * 1_000
    const newer = yield* readListed(client, solver, yield* tokenFor(solver, now), since, deadline)
    const finalSequence = newer.reduce((lowest, each) => {
      const numbered = nonceIn(each)
      return numbered?.apiKey === apiKey && numbered.nonce < lowest ? numbered.nonce : lowest
    }, sequence)
    return { counted: true, height, finalHeight: height, sequence, pendingSequence: sequence, finalSequence }
  })

/**
 * A transaction that expired unused leaves its nonce to another one, which is executed. SECURITY: of a nonce only the
 * executed one counts, or one of those that were not. In the order in which they were taken.
 */
const oneOfEach = (sent: ReadonlyArray<SentTransaction>): ReadonlyArray<SentTransaction> => {
  const numberOf = ({ account, sequence }: SentTransaction): string => `${account} ${sequence}`
  const counting = new Map(
    sent.toSorted((one, other) => Number(one.succeeded) - Number(other.succeeded)).map((each) => [numberOf(each), each])
  )
  return [...counting.values()].toSorted((one, other) =>
    Number(one.block.height - other.block.height) || Number((one.sequence ?? 0n) - (other.sequence ?? 0n))
  )
}

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* ExchangeBRpc
    const solver = yield* SolverAccount
    const { readList, readOne } = sentReads(solver)
    const [{ address: first }, ...others] = solver.lanes

    const read = <A>(chain: Chain, operation: string, of: ExchangeBRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    /** Dies for an account that is none of this solver's: then the configuration was changed. */
    const apiKeyOf = (account: Address): bigint => {
      const lane = solver.lanes.find(({ address }) => address === account)
      if (lane === undefined) throw new Error(`${account} is no API key of the solver on exchange B`)
      return lane.apiKey
    }

    return SentTransactions.of({
      accountsOn: () => [first, ...others.map(({ address }) => address)],
      position: (chain, account, by) =>
        readPosition(rpc, chain, by, (client) => client.read(readPositionOf(solver, apiKeyOf(account)))),
      lastBlockBefore: (chain, time) =>
        Effect.map(read(chain, "head", readMillis), (now) => {
          const [before, head] = [BigInt(Math.ceil(time / 1_000)) - 1n, lastSecond(now)]
          return before < head ? before : head
        }),
      find: (chain, id) => read(chain, "a transaction of the account", readOne(id)),
      between: (chain, from, to, by) =>
        Effect.map(
          sentBetween(rpc, chain, by, {
            range: [from, to],
            list: (client) => client.read(readList(from, to)),
            find: (client, id) => client.read(readOne(id))
          }),
          oneOfEach
        ),
      useUp: Effect.fnUntraced(function*(chain, account, nonce) {
        const now = yield* confirmedTime(rpc, chain)
        yield* submitNothing(rpc, solver, chain, { apiKey: apiKeyOf(account), nonce, now })
      })
    })
  })
)
