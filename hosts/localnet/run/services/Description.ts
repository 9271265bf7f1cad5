/** A running network as `.causeway/localnet.json` describes it. Pure. */
import { privateKeyToAddress } from "viem/accounts"
import { addressOf, hubAddressOf, tokens } from "../../nodes/ethereum/Addresses.ts"
import type { AttestedChain } from "./AttestedChain.ts"
import type { Sponsor } from "../../commands/demo/Sponsor.ts"
import { depositFactory } from "../../nodes/ethereum/DepositFactory.ts"
import type { Localnet } from "../state/LocalnetFile.ts"
import type { Network } from "../Network.ts"
import { chainIdOf, evmSlugs, settlementSlug } from "../Slug.ts"
import { describeSolana } from "../../nodes/solana/SolanaChain.ts"

export interface Urls {
  readonly transfer: string
  readonly oracle: string
}

export const describe = (
  { attested, chains, keys, parties, solana }: Network,
  urls: Urls,
  sponsor: Sponsor,
  pid: number
): Localnet => ({
  environment: "local",
  transferUrl: urls.transfer,
  oracleUrl: urls.oracle,
  chains: evmSlugs.map((slug) => ({
    id: slug,
    chainId: chainIdOf[slug],
    vmType: "ethereum-vm",
    rpcUrl: chains[slug].url,
    depository: addressOf("Depository"),
    router: addressOf("Router"),
    depositFactory,
    tokens: tokens.map(({ contract, decimals, symbol }) => ({ symbol, address: addressOf(contract), decimals })),
    settlement: slug === settlementSlug
  })),
  ...(solana === undefined ? {} : { solana: describeSolana(solana, keys) }),
  ...attested.reduce<AttestedChain["described"]>((all, { described }) => ({ ...all, ...described }), {}),
  hub: {
    rpcUrl: chains.hub.url,
    chainId: chainIdOf.hub,
    hubAddress: hubAddressOf("Hub"),
    oracleAddress: hubAddressOf("OracleGate")
  },
  accounts: keys.accounts.map((privateKey) => ({ address: privateKeyToAddress(privateKey), privateKey })),
  solver: { address: parties.solver, privateKey: keys.solver },
  allocator: { address: parties.allocator, privateKey: keys.allocator },
  adminToken: keys.adminToken,
  demo: { ...sponsor, oracleApiKey: keys.oracleApiKey },
  pid
})
