/** The Solana chain of the network: its ids, its start from the network's state folder, its description. */
import type { Effect, Scope } from "effect"
import type { SolanaError } from "./SolanaError.ts"
import type { SolanaProcess } from "./SolanaProcess.ts"
import { start as startProcess } from "./SolanaProcess.ts"
import type { LocalKey } from "./node/LocalKey.ts"
import type { Keys } from "../../run/state/Keys.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import type { Paths } from "../../run/state/Paths.ts"
import type { Ports } from "../../run/Ports.ts"
import * as Depository from "./DepositoryProgram.ts"
import { mints } from "./Mints.ts"
import { solanaKeys, solanaParties, walletText } from "./SolanaKeys.ts"

/** The protocol's id, and the number in the transfer API. They cannot be mistaken for the public chain's. */
export const solanaSlug = "solana-local"
export const solanaChainId = 616110

export const start = (
  paths: Paths,
  ports: Ports,
  identity: string,
  keys: Keys
): Effect.Effect<SolanaProcess, SolanaError, Scope.Scope> =>
  startProcess({
    port: ports.solana,
    jupiterPort: ports.jupiter,
    stateFile: paths.solana,
    genesis: { name: identity, parties: solanaParties(solanaKeys(keys)) }
  })

const account = (key: LocalKey) => ({ address: key.address, privateKey: walletText(key) })

export const describeSolana = (chain: SolanaProcess, keys: Keys): NonNullable<Localnet["solana"]> => {
  const { accounts, allocator, solver } = solanaKeys(keys)
  return {
    id: solanaSlug,
    chainId: solanaChainId,
    vmType: "solana-vm",
    rpcUrl: chain.url,
    webSocketUrl: chain.webSocketUrl,
    genesisHash: chain.genesisHash,
    depository: Depository.program,
    depositoryAccount: Depository.depository,
    vault: Depository.vault,
    domain: `0x${Buffer.from(Depository.domain).toString("hex")}`,
    tokens: mints.map(({ address, decimals, program, symbol }) => ({ symbol, address, decimals, program })),
    accounts: accounts.map(account),
    solver: account(solver),
    allocator: account(allocator)
  }
}
