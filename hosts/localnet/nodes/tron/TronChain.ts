/** The optional Tron chain of the network: started from the state folder, and described for the network's file. */
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import type { AttestedChain, StartAttested } from "../../run/services/AttestedChain.ts"
import { TRON_CHAIN_ID } from "./node/ChainNumber.ts"
import { keyOf, keyOfName } from "./node/LocalKey.ts"
import { start as startProcess } from "./TronProcess.ts"
import { depository, router, usdc, vault } from "./Deposits.ts"

/** The protocol's id. */
const slug = "tron-local"

const faucet = keyOfName("causeway.local.tron.faucet")

/** In tronweb's form of keys: hex without 0x. */
const account = (privateKey: `0x${string}`) => ({ address: keyOf(privateKey).address, privateKey: privateKey.slice(2) })

/**
 * It is kept and deleted with the folder of the other chains. Every account has the same key there as on the EVM
 * chains.
 */
export const start = Effect.fnUntraced(
  function*({ keys: { accounts, allocator, solver }, paths, ports }: StartAttested) {
    const parties = {
      faucet: faucet.evm,
      solver: privateKeyToAddress(solver),
      allocator: privateKeyToAddress(allocator),
      accounts: accounts.map((key) => privateKeyToAddress(key))
    }
    const { died, jsonRpcUrl, url } = yield* startProcess({ port: ports.tron, stateFile: paths.tron, parties })
    return {
      slug,
      environment: { TRON_RPC_URL: url },
      described: {
        tron: {
          id: slug,
          chainId: TRON_CHAIN_ID,
          vmType: "tron-vm",
          rpcUrl: url,
          jsonRpcUrl,
          depository,
          router,
          vault,
          tokens: [{ symbol: "USDC", address: usdc, decimals: 6 }],
          accounts: accounts.map(account),
          solver: account(solver),
          allocator: account(allocator),
          faucet: account(faucet.privateKey)
        }
      },
      died
    } satisfies AttestedChain
  }
)
