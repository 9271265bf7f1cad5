/** The port `AddressBalances`: all currencies of an account, read from one block. */
import { Effect, Layer } from "effect"
import { AddressBalances, nothingLeft } from "causeway-kit/ports"
import { ask, LedgerRpc } from "./LedgerNode.ts"

export const layer = Layer.effect(
  AddressBalances,
  Effect.map(LedgerRpc, (rpc) =>
    AddressBalances.of({
      leftBySweeps: nothingLeft,
      read: (chain, holder, currencies) =>
        rpc.call(chain, "balances", async (client) => {
          const { balances, head } = await client.get(ask.account(holder))
          return currencies.map(({ address }) => ({
            _tag: "Read" as const,
            units: balances[address] ?? 0n,
            height: BigInt(head.height)
          }))
        })
    }))
)
