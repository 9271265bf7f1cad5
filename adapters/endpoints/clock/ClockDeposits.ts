/**
 * Deposits on exchanges, whose clock is the chain (`ClockAsChain`): heads, finality, and where a deposit stands.
 *
 * SECURITY: an exchange takes nothing back. So a deposit is never gone because an endpoint does not know it: it is gone
 * only when its transaction shows something else.
 */
import { Effect } from "effect"
import type { DepositWatcher, Head, Standing } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { sameDeposit } from "../../../src/domain/transfer/deposit/Standing.ts"
import { cursorAt, depthBelow } from "./ClockAsChain.ts"
import { depositRead } from "../DepositRead.ts"
import type { EndpointRead, EndpointReader } from "../EndpointReader.ts"
import { readFinality } from "../ReadFinality.ts"
import { readHeads } from "../ReadHeads.ts"
import type { Rotation } from "../Rotation.ts"

/** `depositsOf`: those of a transaction, or undefined while the endpoint does not show it or its order is not known. */
export const clockDeposits = <Client>(
  rpc: Rotation<EndpointReader<Client>>,
  readHead: EndpointRead<Client, Head>,
  depositsOf: (
    chain: Chain,
    id: TransactionId,
    head: Head
  ) => EndpointRead<Client, ReadonlyArray<Deposit> | undefined>
): Pick<DepositWatcher["Service"], "head" | "heads" | "standing" | "finality"> => {
  const standingOf = (chain: Chain, deposit: Deposit): EndpointRead<Client, Standing> =>
    Effect.fnUntraced(function*(client, deadline) {
      // The head first: what the endpoint shows afterwards is at least as new.
      const head = yield* readHead(client, deadline)
      const deposits = yield* depositsOf(chain, deposit.transactionId, head)(client, deadline)
      if (deposits === undefined) return yield* Effect.fail("behind" as const)
      const found = deposits.find((each) => sameDeposit(each, deposit))
      if (found === undefined) return { _tag: "Gone" }
      return { _tag: "Included", block: found.block, ...depthBelow(head, found.block), deposits }
    })

  return {
    head: (chain) => rpc.call(chain, "head", ({ read }) => read(readHead)),
    heads: (chain, by) =>
      readHeads(rpc, chain, by, async ({ read }) => {
        const { hash, height } = await read(readHead)
        return { hash, height, finalHeight: height }
      }),
    standing: (chain, deposit, by) =>
      rpc.witnessed(chain, depositRead(({ read }: EndpointReader<Client>) => read(standingOf(chain, deposit))), by),
    finality: (chain, remembered, asked) =>
      readFinality(rpc, chain, remembered, asked, async ({ read }, height) => {
        const newest = await read(readHead)
        const isOver = height !== undefined && height <= newest.height
        return { found: isOver ? cursorAt(Number(height)).hash : undefined, newest }
      })
  }
}
