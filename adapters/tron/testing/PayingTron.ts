/** A local Tron chain with a solver that has money, and the ports of its payments over as many nodes as wanted. */
import { Effect, Layer, Redacted, Result } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type { NodeFault } from "../../../hosts/localnet/nodes/NodeFault.ts"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { usdt as usdtAddress } from "../../../hosts/localnet/nodes/tron/Deposits.ts"
import { solver, Tron } from "../../../hosts/localnet/nodes/tron/Tron.ts"
import type { EvmAddress } from "../../../hosts/localnet/nodes/tron/node/Account.ts"
import { base58Of, evmAddress, toEvm } from "../../../hosts/localnet/nodes/tron/node/Account.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/tron/node/LocalKey.ts"
import { serve } from "../../../hosts/localnet/nodes/tron/node/rpc/Server.ts"
import { greedyToken, minting } from "../../../hosts/localnet/nodes/tron/testing/OddContracts.ts"
import type { OddContract } from "../../../hosts/localnet/nodes/tron/testing/OddContracts.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { tron as configured } from "../../../src/domain/quote/testing/Chains.ts"
import { makeSignatures } from "../../signing/LocalSignatures.ts"
import { localSecp256k1, localSecp256k1Tree } from "../../signing/LocalSigner.ts"
import { layer as layerBalances } from "../addresses/AddressBalances.ts"
import { layer as layerKeyring } from "../addresses/Keyring.ts"
import { layer as layerPrices } from "../cost/TronPrices.ts"
import { layer as layerGas } from "../pay/Gas.ts"
import { layer as layerSent } from "../pay/SentTransactions.ts"
import { layer as layerAccount } from "../pay/SolverAccount.ts"
import { layer as layerTreasury } from "../pay/Treasury.ts"
import { layer as layerRpc, TronEndpoints } from "../rpc/TronRpc.ts"
import { layer as layerWatcher } from "../watch/Watcher.ts"

const codec = addressCodec("tron-vm")

/** Sixty blocks, of which nineteen are not solidified. */
export const LIFETIME_MINUTES = 3

export const ours = (text: string): Address => Result.getOrThrow(codec.parse(text))

let names = 0

/** An account that never had anything. */
export const newAccount = (): Address => {
  names += 1
  return keyOfName(`causeway.test.tron.new ${names}`).address
}

/** `hosts`: nodes of one chain, each with faults of its own; more than half of them must agree. */
export const startPayingTron = Effect.fnUntraced(function*(hosts: number) {
  const tron = yield* Tron.start()
  const nodes = yield* Effect.forEach(Array.from({ length: hosts }), () =>
    Effect.gen(function*() {
      const port = yield* anyFree
      let fault: NodeFault | undefined
      yield* serve(tron.chain, port, () => fault)
      return {
        url: Redacted.make(`http://127.0.0.1:${port}`),
        setFault: (next: NodeFault | undefined) => Effect.sync(() => void (fault = next))
      }
    }))
  const currency = (text: string, symbol: string): Currency => ({
    ...configured.native,
    chainId: ChainId.make(tron.chainId),
    address: Result.getOrThrow(codec.parseCurrency(text)),
    symbol,
    name: symbol,
    isNative: text === codec.nativeCurrency
  })
  const native = currency(codec.nativeCurrency, "TRX")
  const usdc = currency(tron.usdc, "USDC")
  /** Its transfers return false although they succeed. */
  const usdt = currency(usdtAddress, "USDT")
  const chain: Chain = {
    ...configured,
    id: native.chainId,
    native,
    currencies: [native, usdc, usdt],
    depository: tron.depository
  }
  const key = yield* Effect.provideService(
    localSecp256k1(Redacted.make(Hex32.make(solver.privateKey))),
    Signatures,
    makeSignatures(undefined)
  )
  const deposits = yield* Effect.provideService(
    localSecp256k1Tree(Redacted.make(Hex.make(`0x${"5e".repeat(32)}`))),
    Signatures,
    makeSignatures(undefined)
  )
  const state = { isSigning: true }
  const signer = {
    account: key.account,
    sign: (digest: Uint8Array) =>
      Effect.suspend(() =>
        state.isSigning ? key.sign(digest) : Effect.fail(new SignerUnavailable({ fault: "refused" }))
      )
  }
  const ports = Layer.mergeAll(layerBalances, layerGas, layerKeyring, layerSent, layerTreasury, layerWatcher).pipe(
    Layer.provide(layerPrices),
    Layer.provide(layerRpc),
    Layer.provide(layerAccount(signer, LIFETIME_MINUTES, deposits)),
    Layer.provide(Layer.succeed(TronEndpoints, { urls: new Map([[chain.id, nodes.map(({ url }) => url)]]) }))
  )
  const call = (to: EvmAddress, data: `0x${string}`) =>
    Effect.promise(() => tron.chain.evm.call({ from: solver.evm, to, data }, tron.chain.ledger.tip.evmHeight))
  /** At the newest block. */
  const balance = Effect.fnUntraced(function*(of: Address, { address, isNative }: Currency) {
    const holder = toEvm(of)
    if (isNative) {
      return yield* Effect.promise(() => tron.chain.evm.balance(holder, tron.chain.ledger.tip.evmHeight))
    }
    const { data } = yield* call(
      toEvm(address),
      encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [holder] })
    )
    return BigInt(data)
  })
  /** Deployed by a wallet, in a block. */
  const deploy = Effect.fnUntraced(function*({ arguments: encoded, code, name }: OddContract) {
    const wallet = yield* tron.wallet("somebody")
    const id = yield* Effect.promise(() => wallet.create(name, [], code, encoded))
    yield* tron.mine()
    const created = tron.chain.ledger.placeOf(id)?.executed.created
    if (created === undefined) return yield* Effect.die(new Error(`${name} was not deployed`))
    return { wallet, address: base58Of(evmAddress(created)) }
  })
  /** A token that the solver has a million units of. */
  const deployToken = Effect.fnUntraced(function*(token: OddContract) {
    const { address, wallet } = yield* deploy(token)
    yield* Effect.promise(() => wallet.trigger(address, minting(solver.evm, 1_000_000n)))
    yield* tron.mine()
    return currency(address, token.name)
  })
  return {
    tron,
    nodes,
    chain,
    native,
    usdc,
    usdt,
    own: ours(solver.address),
    ports,
    state,
    balance,
    greedyToken: deployToken(greedyToken),
    /** A recipient that is a contract. */
    contract: (code: OddContract) => Effect.map(deploy(code), ({ address }) => address)
  }
})
