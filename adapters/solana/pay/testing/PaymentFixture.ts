/** A local Solana chain with a funded solver, a mint, and the adapter's ports: the base of the payment tests. */
import { addressCodec, families } from "../../../../src/domain/families/index.ts"
import { address, generateKeyPairSigner } from "@solana/kit"
import type { Address as SolanaAddress } from "@solana/kit"
import {
  AccountState,
  TOKEN_PROGRAM_ADDRESS,
  findAssociatedTokenPda,
  getMintEncoder,
  getTokenEncoder
} from "@solana-program/token"
import { base58 } from "@scure/base"
import { Effect, Layer, Redacted, Result } from "effect"
import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto"
import { Solana } from "../../../../hosts/localnet/nodes/solana/Solana.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import type { Currency } from "../../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import * as SolanaGas from "../Gas.ts"
import * as SolanaSent from "../../watch/SentTransactions.ts"
import { JupiterServer } from "../../quote/jupiter/JupiterApi.ts"
import * as SolanaRpc from "../../rpc/SolanaRpc.ts"
import * as SolverAccount from "../SolverAccount.ts"
import { localEd25519 } from "../../../signing/LocalSigner.ts"
import * as SolanaTreasury from "../Treasury.ts"

const codec = addressCodec("solana-vm")

/** Base58 of a new key's 64 bytes, in the form of the service's configuration. */
export const newKey = (): string => {
  const seed = randomBytes(32)
  const privateKey = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8"
  })
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32)
  return base58.encode(Buffer.concat([seed, publicKey]))
}

/** The signer that the service makes from it. */
export const signerOfKey = (key: string) => localEd25519(Redacted.make(base58.decode(key).subarray(0, 32)))

export const addressOfKey = (key: string): SolanaAddress => address(base58.encode(base58.decode(key).subarray(32)))

export const ours = (text: string): Address => Result.getOrThrow(codec.parse(text))

export const SOL = 1_000_000_000n

/** A mint's account, and one of its token accounts, as the token program writes them. */
export const mintData = (decimals: number): Uint8Array =>
  new Uint8Array(
    getMintEncoder().encode({
      mintAuthority: null,
      supply: 10n ** 18n,
      decimals,
      isInitialized: true,
      freezeAuthority: null
    })
  )

export const tokenData = (mint: SolanaAddress, owner: SolanaAddress, amount: bigint): Uint8Array =>
  new Uint8Array(
    getTokenEncoder().encode({
      mint,
      owner,
      amount,
      delegate: null,
      state: AccountState.Initialized,
      isNative: null,
      delegatedAmount: 0n,
      closeAuthority: null
    })
  )

const system = address("11111111111111111111111111111111")

export const startFixture = Effect.gen(function*() {
  const key = newKey()
  const solver = addressOfKey(key)
  const mint = (yield* Effect.promise(() => generateKeyPairSigner())).address
  const tokensOf = (owner: SolanaAddress) =>
    Effect.promise(async () => (await findAssociatedTokenPda({ mint, owner, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0])
  const source = yield* tokensOf(solver)
  const account = (data: Uint8Array, owner: SolanaAddress, lamports = 10n * SOL) => ({
    lamports,
    data,
    owner,
    executable: false
  })
  const local = yield* Solana.start({
    genesis: async (made) => {
      made.setAccount(solver, account(new Uint8Array(), system, 1_000n * SOL))
      made.setAccount(mint, account(mintData(6), TOKEN_PROGRAM_ADDRESS))
      made.setAccount(source, account(tokenData(mint, solver, 1_000_000_000n), TOKEN_PROGRAM_ADDRESS))
    }
  })
  const id = ChainId.make(792_703_809)
  const currency = (text: string, symbol: string, decimals: number): Currency => ({
    chainId: id,
    address: Result.getOrThrow(codec.parseCurrency(text)),
    symbol,
    name: symbol,
    decimals,
    isNative: text === codec.nativeCurrency
  })
  const native = currency(codec.nativeCurrency, "SOL", 9)
  const usdc = currency(mint, "USDC", 6)
  const chain: Chain = {
    id,
    slug: ChainSlug.make("solana"),
    family: families["solana-vm"],
    network: "mainnet",
    name: "Solana",
    genesisHash: local.chain.genesisHash,
    depository: ours("99vQwtBwYtrqqD9YSXbdum3KBdxPAVxYTaQ3cfnJSrN2"),
    router: undefined,
    vault: undefined,
    native,
    currencies: [native, usdc],
    finality: { _tag: "Tag", tag: "finalized", seconds: 13 },
    confirmations: [],
    blockTimeMs: 400,
    explorerUrl: undefined
  }
  const adaptersOver = (urls: ReadonlyArray<string>) =>
    Layer.mergeAll(SolanaTreasury.layer, SolanaGas.layer, SolanaSent.layer).pipe(
      Layer.provideMerge(SolanaRpc.layer),
      Layer.provide(
        Layer.succeed(SolanaRpc.SolanaEndpoints, { urls: new Map([[id, urls.map((url) => Redacted.make(url))]]) })
      ),
      Layer.provide([SolverAccount.layer(signerOfKey(key)), withoutRoutes])
    )
  const adapters = adaptersOver([local.url])
  const lamportsOf = (owner: SolanaAddress) => local.chain.read(owner, "processed")?.lamports ?? 0n
  return { local, chain, native, usdc, mint, solver, key, adapters, adaptersOver, tokensOf, account, lamportsOf }
})

/** No server of routes: fills that swap are refused. */
export const withoutRoutes = Layer.succeed(JupiterServer, { url: undefined, apiKey: undefined })

export const newAddress = Effect.map(Effect.promise(() => generateKeyPairSigner()), (signer) => signer.address)

let orders = 0

/** A different id each time. */
export const newOrder = (): OrderId => {
  orders += 1
  return OrderId.make(`0x${orders.toString(16).padStart(64, "0")}`)
}
