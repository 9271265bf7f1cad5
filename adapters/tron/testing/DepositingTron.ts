/**
 * A local Tron chain for tests of what users do: a wallet with money, which signs by the unmodified tronweb, and nodes
 * that can fail.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { carryOutWith } from "../../../hosts/localnet/nodes/tron/CarryOut.ts"
import { approve, depositErc20, depositNative } from "../../../hosts/localnet/nodes/tron/Deposits.ts"
import { toEvm } from "../../../hosts/localnet/nodes/tron/node/Account.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/tron/node/LocalKey.ts"
import { serve } from "../../../hosts/localnet/nodes/tron/node/rpc/Server.ts"
import type { Wallet } from "../../../hosts/localnet/nodes/tron/node/Wallet.ts"
import { Tron } from "../../../hosts/localnet/nodes/tron/Tron.ts"
import type { NodeFault } from "../../../hosts/localnet/nodes/NodeFault.ts"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { tron as configured } from "../../../src/domain/quote/testing/Chains.ts"
import { TronCallData, TronTransferData } from "../../../src/domain/families/tron/TronTransactionData.ts"

const codec = addressCodec("tron-vm")

/** Base58. */
export const account = (text: string): Address => Result.getOrThrow(codec.parse(text))

const decodeStep = Schema.decodeUnknownSync(Schema.Union([TronCallData, TronTransferData]))

/** `hosts`: nodes of one chain, each with faults of its own. Two at most. */
export const startDepositingTron = Effect.fnUntraced(function*(hosts: 1 | 2) {
  const local = yield* Tron.start()
  const wallet = yield* local.wallet("somebody")
  // Another name of the loopback is another host.
  const nodes = yield* Effect.forEach(["127.0.0.1", "localhost"].slice(0, hosts), (host) =>
    Effect.gen(function*() {
      const port = yield* anyFree
      let fault: NodeFault | undefined
      yield* serve(local.chain, port, () => fault)
      return {
        url: Redacted.make(`http://${host}:${port}`),
        setFault: (next: NodeFault | undefined) => Effect.sync(() => void (fault = next))
      }
    }))
  const currency = (text: string, symbol: string): Currency => ({
    ...configured.native,
    chainId: ChainId.make(local.chainId),
    address: Result.getOrThrow(codec.parseCurrency(text)),
    symbol,
    name: symbol,
    isNative: text === codec.nativeCurrency
  })
  const native = currency(codec.nativeCurrency, "TRX")
  const usdc = currency(local.usdc, "USDC")
  const chain: Chain = {
    ...configured,
    id: native.chainId,
    native,
    currencies: [native, usdc],
    depository: local.depository
  }
  const sent = (send: () => Promise<string>) =>
    Effect.map(Effect.promise(send), (id) => Result.getOrThrow(parseTransactionId(chain.family, id)))
  /** At the newest block. */
  const balance = Effect.fnUntraced(function*(of: Address, { address, isNative }: Currency) {
    const { evm, ledger: { tip } } = local.chain
    const holder = toEvm(of)
    if (isNative) return yield* Effect.promise(() => evm.balance(holder, tip.evmHeight))
    const data = `0x70a08231${holder.slice(2).padStart(64, "0")}`
    const answer = yield* Effect.promise(() => evm.call({ from: holder, to: toEvm(address), data }, tip.evmHeight))
    return BigInt(answer.data)
  })
  /** What a step asks for, signed by the wallet and sent. */
  const carryOut = (data: unknown, by: Wallet = wallet) => sent(() => carryOutWith(by, decodeStep(data)))
  return {
    local,
    wallet,
    nodes,
    /** For the first of the nodes. */
    setFault: (fault: NodeFault | undefined) => nodes[0]?.setFault(fault) ?? Effect.void,
    chain,
    native,
    usdc,
    currency,
    sent,
    balance,
    carryOut
  }
})

export type DepositingTron = Effect.Success<ReturnType<typeof startDepositingTron>>

/** The fixture of the contracts of the ports. `stranger` has no balance. */
export const fixtureOf = ({ balance, carryOut, chain, local, sent, usdc, wallet }: DepositingTron) =>
  FamilyFixture.of({
    chain,
    token: usdc,
    user: account(wallet.key.address),
    stranger: keyOfName("causeway.contracts.tron.stranger").address,
    refusing: undefined,
    balance,
    deposit: ({ isNative }, amount, order) =>
      isNative
        ? sent(() => depositNative(wallet, order, amount))
        : Effect.andThen(sent(() => approve(wallet, amount)), sent(() => depositErc20(wallet, order, amount))),
    carryOut: (step) => carryOut(step.items[0]?.data),
    mine: local.mine(),
    finalise: local.solidify,
    takeBack: local.reorg(1, "dropped")
  })
