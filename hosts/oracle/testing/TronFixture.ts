/**
 * The Tron fixture: the local chain behind three nodes, each of which can fail or lie, and what every family's fixture
 * has. Blocks are produced on command. Contracts are read from the chain's EVM.
 */
import { Effect } from "effect"
import { concat, encodeFunctionData } from "viem"
import { abi as vaultAbi } from "../../../adapters/ethereum/contracts/artifacts/Vault.ts"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { allocator, solver, Tron } from "../../localnet/nodes/tron/Tron.ts"
import type { NodeFault } from "../../localnet/nodes/NodeFault.ts"
import { serve } from "../../localnet/nodes/tron/node/rpc/Server.ts"
import type { Withdrawal } from "../../localnet/nodes/tron/Deposits.ts"
import { executeWithdrawal, signWithdrawal, vault } from "../../localnet/nodes/tron/Deposits.ts"
import { startHubFixture } from "./HubFixture.ts"
import { faultyEndpoints } from "./FaultyEndpoints.ts"

export const TRX = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"

type Hex = `0x${string}`

/** What the vault pays, and what it calls afterwards. Accounts are in EVM form, with zeros for TRX. */
export interface VaultFill {
  readonly payments: ReadonlyArray<{ readonly token: Hex; readonly recipient: Hex; readonly amount: bigint }>
  readonly calls: ReadonlyArray<{ readonly to: Hex; readonly data: Hex; readonly value: bigint }>
  readonly recipient: Hex
}

export const startTronFixture = Effect.gen(function*() {
  const tron = yield* Tron.start()
  const { misbehave, urls } = yield* faultyEndpoints((port, fault: () => NodeFault | undefined) =>
    serve(tron.chain, port, fault)
  )
  const fixture = yield* startHubFixture({
    slug: "tron-local",
    family: "tron-vm",
    native: TRX,
    depository: tron.depository,
    environment: { TRON_RPC_URL: urls.join(",") }
  })
  const [user, other, paying] = yield* Effect.all([
    tron.wallet("somebody"),
    tron.wallet("somebody else"),
    tron.wallet(solver)
  ])

  const seconds = Effect.sync(() => Math.floor(tron.chain.ledger.tip.timestamp / 1_000))

  /** Sends, and waits until it is solidified. */
  const done = Effect.fnUntraced(function*(send: () => Promise<string>) {
    const id = yield* Effect.promise(send)
    yield* tron.mine()
    yield* tron.solidify
    return id
  })

  const fillByVault = (
    id: Hex,
    leg: bigint,
    { calls, payments, recipient }: VaultFill,
    value = 0n
  ): Promise<string> => {
    const data = encodeFunctionData({
      abi: vaultAbi,
      functionName: "fill",
      args: [id, leg, { payments: [...payments], calls: [...calls], leftovers: [], recipient }]
    })
    return paying.trigger(vault, concat([data, id]), { value })
  }

  let nonce = 0n
  /** A withdrawal of this much TRX, and how to execute it. */
  const withdrawing = Effect.fnUntraced(function*(to: Hex, sun: bigint, expiration: number) {
    nonce += 1n
    const withdrawal: Withdrawal = {
      calls: [{ to, data: "0x", value: sun, allowFailure: false }],
      nonce,
      expiration: BigInt(expiration)
    }
    const signature = yield* Effect.promise(() => signWithdrawal(allocator, tron.chainId, withdrawal))
    return { withdrawal, execute: () => executeWithdrawal(user, withdrawal, signature) }
  })

  return {
    ...fixture,
    tron,
    urls,
    user,
    other,
    paying,
    misbehave,
    seconds,
    done,
    fillByVault,
    withdrawing,
    token: addressOf("TestUSDC")
  }
})
