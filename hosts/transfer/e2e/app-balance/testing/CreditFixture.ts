/**
 * A settlement chain that mines on the test's command, and the crediting of app balances over it in this process.
 * `crediting` runs it for one token with its own store, so that several can read the same chain.
 */
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { concat, encodeDeployData, encodeFunctionData, erc20Abi, getContractAddress, keccak256 } from "viem"
import type { Address as ViemAddress, Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as EthereumCredits from "../../../../../adapters/ethereum/watch/Credits.ts"
import {
  abi as oddTokenAbi,
  bytecode as oddTokenCode
} from "../../../../../adapters/ethereum/contracts/artifacts/OddToken.ts"
import { EthereumEndpoints } from "../../../../../adapters/ethereum/rpc/EthereumRpc.ts"
import * as EthereumRpc from "../../../../../adapters/ethereum/rpc/EthereumRpc.ts"
import * as SolverAccount from "../../../../../adapters/ethereum/pay/SolverAccount.ts"
import * as EthereumTreasury from "../../../../../adapters/ethereum/pay/Treasury.ts"
import * as Watcher from "../../../../../adapters/ethereum/watch/Watcher.ts"
import * as SolverOrderSigner from "../../../../../adapters/signing/SolverOrderSigner.ts"
import { secp256k1Signer } from "../../../../../adapters/signing/testing/TestSigners.ts"
import * as SqlAppBalances from "../../../../../adapters/storage/ledger/AppBalances.ts"
import * as SqlCredits from "../../../../../adapters/storage/ledger/Credits.ts"
import { layerDatabase } from "../../../../../adapters/storage/engine/Database.ts"
import { layerMigrations } from "../../../../../adapters/storage/engine/Migrations.ts"
import * as SqlLedger from "../../../../../adapters/storage/ledger/Ledger.ts"
import * as SqlPauses from "../../../../../adapters/storage/operations/Pauses.ts"
import * as SqlPayments from "../../../../../adapters/storage/orders/Payments.ts"
import { migrations } from "../../../../../adapters/storage/migrations/index.ts"
import { Credits } from "../../../../../ports/store/ledger/Credits.ts"
import { Ledger } from "../../../../../ports/store/ledger/Ledger.ts"
import { Pauses } from "../../../../../ports/store/operations/Pauses.ts"
import { SettlementChain } from "../../../../../ports/hub/SettlementChain.ts"
import { Address, type CurrencyAddress } from "../../../../../src/domain/chain/Address.ts"
import * as Crediting from "../../../../../src/services/app-balance/Crediting.ts"
import * as Followers from "../../../../../src/services/following/Followers.ts"
import { reconcileBalances } from "../../../../../src/services/operations/ReconcilingBalances.ts"
import type { ReconciledBlocks } from "../../../../../src/services/operations/ReconcilingBalances.ts"
import { loadMarket } from "../../../../configuration/LoadChains.ts"
import { Anvil } from "../../../../localnet/nodes/ethereum/Anvil.ts"
import { deploy } from "../../../../localnet/nodes/ethereum/Deployment.ts"
import { generate } from "../../../../localnet/run/state/Keys.ts"
import { partiesOf } from "../../../../localnet/run/Network.ts"
import { chainIdOf } from "../../../../localnet/run/Slug.ts"
import { reader, sendCall } from "../../../testing/Client.ts"
import { eventually } from "../../../testing/Misbehaving.ts"

/** Twelve characters before and after the credited account. */
const MARKER = "012345abcdef"

/** `transfer(to, amount)` with bytes that a test appends. */
export const transferCall = (to: ViemAddress, amount: bigint, appended: Hex = "0x"): Hex =>
  concat([encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] }), appended])

/** The 32 bytes that name the account to credit. Twenty zero bytes are the sender. */
export const marked = (account: string): Hex => `0x${MARKER}${account.slice(2)}${MARKER}`

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-credits-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const startCreditFixture = Effect.gen(function*() {
  const keys = yield* generate
  const anvil = yield* Anvil.start({ chainId: chainIdOf.beta, accounts: 0 })
  yield* deploy(anvil, partiesOf(keys))
  const provider = ConfigProvider.fromUnknown({ BETA_RPC_URL: anvil.url })
  const market = yield* Effect.provideService(loadMarket("local", ["beta"]), ConfigProvider.ConfigProvider, provider)
  const folder = yield* temporaryFolder
  const solver = privateKeyToAccount(keys.solver).address
  const key = (index: number): Hex => keys.accounts[index] ?? "0x"
  const user = (index: number) => privateKeyToAccount(key(index)).address

  /** A token that takes one percent of every transfer. */
  const deployOddToken = Effect.gen(function*() {
    const nonce = yield* Effect.promise(() => reader(anvil).getTransactionCount({ address: user(9) }))
    const data = encodeDeployData({ abi: oddTokenAbi, bytecode: oddTokenCode, args: [100n] })
    const hash = keccak256(
      yield* Effect.promise(async () => {
        const raw = await privateKeyToAccount(key(9)).signTransaction({
          type: "eip1559",
          chainId: anvil.chainId,
          nonce,
          data,
          gas: 5_000_000n,
          maxFeePerGas: 10n ** 10n,
          maxPriorityFeePerGas: 1n
        })
        await reader(anvil).sendRawTransaction({ serializedTransaction: raw })
        return raw
      })
    )
    yield* Effect.promise(() => reader(anvil).waitForTransactionReceipt({ hash }))
    return getContractAddress({ from: user(9), nonce: BigInt(nonce) })
  })

  /** Runs crediting for a token, from the beginning of the chain, until the scope closes. `over`: its endpoints. */
  const crediting = Effect.fnUntraced(
    function*(
      token: CurrencyAddress = market.settlement.token,
      store = `${Math.random()}`,
      over: ReadonlyArray<string> = [anvil.url]
    ) {
      const chain = market.settlement.chain
      const database = layerMigrations(migrations).pipe(
        Layer.provideMerge(layerDatabase(Redacted.make(`sqlite:${join(folder, `${store}.db`)}`)))
      )
      const rpc = EthereumRpc.layer.pipe(
        Layer.provide(Layer.succeed(EthereumEndpoints, {
          urls: new Map([[
            chain.id,
            over.map((url) => Redacted.make(url))
          ]])
        }))
      )
      const ports = Layer.mergeAll(
        Layer.succeed(SettlementChain, { chain, token }),
        SolverOrderSigner.layer(secp256k1Signer(keys.solver)),
        Layer.merge(EthereumCredits.layer, EthereumTreasury.layer).pipe(
          Layer.provide([rpc, SolverAccount.layer({ solver: secp256k1Signer(keys.solver) })])
        ),
        Followers.layer.pipe(Layer.provide(Watcher.layer), Layer.provide(rpc)),
        SqlAppBalances.layer,
        SqlPayments.layer,
        SqlPauses.layer,
        SqlCredits.layer.pipe(Layer.provideMerge(SqlLedger.layer))
      ).pipe(Layer.provideMerge(database))
      const context = yield* Layer.build(Crediting.layer({ fromBlock: 0n }).pipe(Layer.provideMerge(ports)))
      const reconcile = (blocks: ReconciledBlocks) => Effect.provide(reconcileBalances(blocks), context)
      const ledger = Context.get(context, Ledger)
      const credits = Context.get(context, Credits)
      const pauses = Context.get(context, Pauses)
      const currency = { chainId: chain.id, address: token }
      const balance = (wallet: string) =>
        ledger.balanceOf({ _tag: "Wallet", wallet: Address.make(wallet.toLowerCase()) }, currency)
      const listed = Effect.map(
        credits.list(chain.id),
        (all) => all.map(({ amount, reason, transactionId, wallet }) => ({ amount, reason, transactionId, wallet }))
      )
      /** Mines until everything so far is final, and waits until it has been processed. */
      const settled = Effect.gen(function*() {
        yield* anvil.mine(2)
        const { hash, number } = yield* Effect.promise(() => reader(anvil).getBlock({ blockTag: "finalized" }))
        yield* eventually(
          `the chain is scanned up to ${number}`,
          credits.cursor(chain.id),
          (cursor) => cursor?.hash === hash
        )
      })
      return { context, ledger, credits, currency, balance, listed, pauses, reconcile, settled }
    }
  )

  /** Sends a user's call and waits until it is mined. Returns its hash. */
  const send = (index: number, call: { readonly to: ViemAddress; readonly data: Hex; readonly gas?: bigint }) =>
    Effect.map(sendCall(anvil, key(index), call), ({ transactionHash }) => transactionHash)

  return {
    anvil,
    chain: market.settlement.chain,
    token: market.settlement.token,
    solver,
    key,
    user,
    crediting,
    deployOddToken,
    send
  }
})
