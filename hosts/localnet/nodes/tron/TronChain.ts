/** The optional Tron chain of the network: started from the state folder, and described for the network's file. */
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import type { AttestedChain, StartAttested } from "../../run/services/AttestedChain.ts"
import { TRON_CHAIN_ID } from "./node/ChainNumber.ts"
import { keyOf, keyOfName } from "./node/LocalKey.ts"
import { start as startProcess } from "./TronProcess.ts"
import { depository, router, usdc, usdt, vault } from "./Deposits.ts"
import { tronSolver } from "./TronKeys.ts"

/** The protocol's id. */
export const tronSlug = "tron-local"

const faucet = keyOfName("causeway.local.tron.faucet")

/** In tronweb's form of keys: hex without 0x. */
const account = (privateKey: `0x${string}`) => ({ address: keyOf(privateKey).address, privateKey: privateKey.slice(2) })

/**
 * It is kept and deleted with the folder of the other chains. Every account but the solver's has the same key there as
 * on the EVM chains.
 */
export const start = Effect.fnUntraced(
  function*({ keys, paths, ports }: StartAttested) {
    const { accounts, allocator } = keys
    const solver = tronSolver(keys)
    const parties = {
      faucet: faucet.evm,
      solver: solver.evm,
      allocator: privateKeyToAddress(allocator),
      accounts: accounts.map((key) => privateKeyToAddress(key))
    }
    const { died, jsonRpcUrl, url } = yield* startProcess({ port: ports.tron, stateFile: paths.tron, parties })
    return {
      slug: tronSlug,
      environment: { TRON_RPC_URL: url },
      transfer: { TRON_RPC_URL: url, TRON_SOLVER_PRIVATE_KEY: solver.privateKey },
      tried: "100",
      described: {
        tron: {
          id: tronSlug,
          chainId: TRON_CHAIN_ID,
          vmType: "tron-vm",
          rpcUrl: url,
          jsonRpcUrl,
          depository,
          router,
          vault,
          tokens: [
            { symbol: "USDC", address: usdc, decimals: 6 },
            { symbol: "USDT", address: usdt, decimals: 6 }
          ],
          accounts: accounts.map(account),
          solver: account(solver.privateKey),
          allocator: account(allocator),
          faucet: account(faucet.privateKey)
        }
      },
      died
    } satisfies AttestedChain
  }
)
