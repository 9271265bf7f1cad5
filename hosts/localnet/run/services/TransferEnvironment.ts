/**
 * The environments of the transfer service and of the oracle on the local network: the variables that they require, and
 * everything else that the caller has set.
 */
import { ConfigProvider } from "effect"
import type { Layer } from "effect"
import { createHash } from "node:crypto"
import { privateKeyToAddress } from "viem/accounts"
import type { Keys } from "../state/Keys.ts"
import type { Paths } from "../state/Paths.ts"
import type { Ports } from "../Ports.ts"
import type { AttestedChain } from "./AttestedChain.ts"
import type { SolanaProcess } from "../../nodes/solana/SolanaProcess.ts"
import { evmSlugs } from "../Slug.ts"
import { solanaSlug } from "../../nodes/solana/SolanaChain.ts"
import { solanaKeys, walletText } from "../../nodes/solana/SolanaKeys.ts"

/** Base address of the service's HTTP API. */
export const transferUrl = (ports: Ports): string => `http://127.0.0.1:${ports.transfer}`

/** Base address of the oracle's HTTP API. */
export const oracleUrl = (ports: Ports): string => `http://127.0.0.1:${ports.oracle}`

const solanaOf = ({ genesisHash, url }: SolanaProcess) => ({ SOLANA_RPC_URL: url, SOLANA_GENESIS_HASH: genesisHash })

/** Derived from another secret of the network, so that states of older versions have it too. */
const secretsKey = ({ adminToken }: Keys): string =>
  `0x${createHash("sha256").update(`causeway.localnet.secrets:${adminToken}`).digest("hex")}`

/** The seed of derived deposit addresses, derived itself from the key that sweeps those of the EVM chains. */
const depositSeed = ({ operator }: Keys): string =>
  `0x${createHash("sha256").update(`causeway.localnet.deposit-addresses:${operator}`).digest("hex")}`

/** With Solana and other families, and the solver's keys there, when the network has them. */
export const environmentOf = (
  paths: Paths,
  ports: Ports,
  keys: Keys,
  { attested = [], solana }: Pick<OracleSees, "attested" | "solana"> = {}
): Readonly<Record<string, string>> => ({
  ENVIRONMENT: "local",
  CHAINS: [
    ...evmSlugs,
    ...(solana === undefined ? [] : [solanaSlug]),
    ...attested.flatMap(({ slug, transfer }) => transfer === undefined ? [] : [slug])
  ].join(","),
  ...Object.fromEntries(attested.flatMap(({ transfer = {} }) => Object.entries(transfer))),
  ...(solana === undefined
    ? {}
    : {
      ...solanaOf(solana),
      SOLANA_SOLVER_PRIVATE_KEY: walletText(solanaKeys(keys).solver),
      JUPITER_API_URL: solana.jupiterUrl
    }),
  ALPHA_RPC_URL: `http://127.0.0.1:${ports.alpha}`,
  BETA_RPC_URL: `http://127.0.0.1:${ports.beta}`,
  HUB_RPC_URL: `http://127.0.0.1:${ports.hub}`,
  HUB_ALLOCATOR: privateKeyToAddress(keys.allocator),
  SOLVER_PRIVATE_KEY: keys.solver,
  DEPOSIT_ADDRESSES_PRIVATE_KEY: keys.operator,
  DEPOSIT_ADDRESS_SEED: depositSeed(keys),
  DATABASE_URL: `sqlite:${paths.database}`,
  ORACLE_URL: oracleUrl(ports),
  ORACLE_API_KEY: keys.oracleApiKey,
  SECRETS_KEY: secretsKey(keys),
  ADMIN_TOKEN: keys.adminToken,
  // The chains are as old as the store: payments before the first start count.
  CREDITS_FROM_BLOCK: "0",
  TRANSFER_PORT: `${ports.transfer}`,
  TRANSFER_HOST: "127.0.0.1",
  BASE_URL: transferUrl(ports)
})

/** The local network's values win over the caller's shell. */
export const layer = (
  environment: Readonly<Record<string, string>>,
  caller: Readonly<Record<string, string | undefined>>
): Layer.Layer<never> => ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...caller, ...environment }))

export interface OracleSees {
  readonly solana?: SolanaProcess | undefined
  readonly attested?: ReadonlyArray<AttestedChain> | undefined
  /** The API key with which it reads nonce mappings from the transfer service. None when no chain needs them. */
  readonly mappingsKey?: string | undefined
}

/** The oracle's environment, with the network's chains, and without the transfer service's keys and store. */
export const oracleEnvironmentOf = (
  ports: Ports,
  keys: Keys,
  { attested = [], mappingsKey, solana }: OracleSees = {}
): Readonly<Record<string, string>> => ({
  ENVIRONMENT: "local",
  CHAINS: [...evmSlugs, ...(solana === undefined ? [] : [solanaSlug]), ...attested.map(({ slug }) => slug)].join(","),
  ...(solana === undefined ? {} : solanaOf(solana)),
  ...Object.fromEntries(attested.flatMap(({ environment }) => Object.entries(environment))),
  EXCHANGEA_HUB_API_URL: mappingsKey === undefined ? "" : transferUrl(ports),
  EXCHANGEA_HUB_API_KEY: mappingsKey ?? "",
  ALPHA_RPC_URL: `http://127.0.0.1:${ports.alpha}`,
  BETA_RPC_URL: `http://127.0.0.1:${ports.beta}`,
  HUB_RPC_URL: `http://127.0.0.1:${ports.hub}`,
  HUB_ALLOCATOR: privateKeyToAddress(keys.allocator),
  SIGNING_MODULE: "raw-private-key",
  ECDSA_PRIVATE_KEY: keys.oracle,
  API_KEYS: `${keys.oracleApiKey}:demo`,
  HTTP_PORT: `${ports.oracle}`,
  HTTP_HOST: "127.0.0.1",
  PEERS: "",
  ORACLE_SIGNERS: "",
  ORACLE_SIGNERS_THRESHOLD: "",
  REQUIRE_RPC_QUORUM: "false"
})
