/**
 * Chains, and a hub with the role-based kind of gate, where one oracle has a role. There are three oracles. A
 * contract that requires two of their signatures has the role, and so does the first oracle itself.
 */
import { Effect } from "effect"
import {
  createWalletClient,
  defineChain,
  encodeDeployData,
  encodeFunctionData,
  http,
  keccak256,
  parseAbiItem,
  stringToBytes
} from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as hubAbi } from "../../../adapters/ethereum/contracts/artifacts/Hub.ts"
import {
  abi as multisigAbi,
  bytecode as multisigCode
} from "../../../adapters/ethereum/contracts/artifacts/MultisigOracle.ts"
import { abi as gateAbi, bytecode as gateCode } from "../../../adapters/ethereum/contracts/artifacts/RoleGate.ts"
import { hubAddressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { deployHub } from "../../localnet/nodes/ethereum/Deployment.ts"
import { chainIdOf } from "../../localnet/run/Slug.ts"
import { reader } from "./Client.ts"
import { configuredFolder } from "./ConfiguredFolder.ts"
import { startOracleInstance, startTransferInstance } from "./HostInstance.ts"
import { chainsOf, ORACLE_KEY } from "./SettlingNetwork.ts"
import { startNetwork } from "./TransferNetwork.ts"

const HUB = hubAddressOf("Hub")
const ORACLE_ROLE = keccak256(stringToBytes("ORACLE_ROLE"))

/** The gate, and the contract of the three, on their hub. */
const deployGate = Effect.fnUntraced(function*(hub: Anvil, allocator: Hex, signers: ReadonlyArray<Hex>) {
  const admin = privateKeyToAccount(generatePrivateKey())
  yield* hub.setBalance(admin.address, 10n ** 20n)
  const chain = defineChain({
    id: hub.chainId,
    name: "hub",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [hub.url] } }
  })
  const wallet = createWalletClient({ account: admin, chain, transport: http() })
  const send = (to: Hex | undefined, data: Hex) =>
    Effect.promise(async () =>
      reader(hub).waitForTransactionReceipt({
        hash: await wallet.sendTransaction({ ...(to === undefined ? {} : { to }), data })
      })
    )
  const create = (data: Hex) =>
    Effect.flatMap(
      send(undefined, data),
      ({ contractAddress }) =>
        contractAddress == null ? Effect.die(new Error("not deployed")) : Effect.succeed(contractAddress)
    )
  const gate = yield* create(
    encodeDeployData({ abi: gateAbi, bytecode: gateCode, args: [HUB, admin.address, "RelayOracle", "1"] })
  )
  const multisig = yield* create(encodeDeployData({ abi: multisigAbi, bytecode: multisigCode, args: [signers, 2n] }))
  // The hub's owner names its gates, and the gate's owner names its oracles.
  yield* hub.request("anvil_impersonateAccount", [allocator])
  yield* hub.request("eth_sendTransaction", [{
    from: allocator,
    to: HUB,
    data: encodeFunctionData({ abi: hubAbi, functionName: "setGate", args: [gate, true] })
  }])
  yield* hub.mine()
  for (const oracle of [multisig, signers[0] ?? "0x"]) {
    yield* send(gate, encodeFunctionData({ abi: gateAbi, functionName: "grantRole", args: [ORACLE_ROLE, oracle] }))
  }
  return { gate, multisig }
})

export const startRoleGate = Effect.gen(function*() {
  const network = yield* startNetwork
  const { chains: { parties }, environment } = network
  const hub = yield* Anvil.start({ chainId: chainIdOf.hub, blockTime: 1, accounts: 0 })
  const keys = [1, 2, 3].map(generatePrivateKey)
  const signers = keys.map((key) => privateKeyToAccount(key).address)
  yield* deployHub(hub, { ...parties, oracle: signers[0] ?? "0x" })
  const { gate, multisig } = yield* deployGate(hub, parties.allocator, signers)
  const ours = `"oracleAddress": "${hubAddressOf("OracleGate").toLowerCase()}"`
  const configured = (entry: string) => configuredFolder((file) => file.replace(ours, entry), "chains.hub.local.json")
  const single = `"oracleAddress": "${gate.toLowerCase()}", "gate": "oracle"`
  const configs = {
    several: yield* configured(`${single}, "multisigAddress": "${multisig.toLowerCase()}"`),
    single: yield* configured(single)
  }
  const mistaken = yield* configured(`${ours}, "multisigAddress": "${multisig.toLowerCase()}"`)
  const oracles = yield* Effect.forEach(
    keys,
    Effect.fnUntraced(function*(key) {
      return yield* startOracleInstance({
        ENVIRONMENT: "local",
        ...chainsOf(environment),
        HUB_RPC_URL: hub.url,
        ECDSA_PRIVATE_KEY: key,
        API_KEYS: `${ORACLE_KEY}:worker`,
        HTTP_PORT: `${yield* anyFree}`
      }, configs.several)
    }),
    { concurrency: "unbounded" }
  )
  const settling = (by: ReadonlyArray<{ readonly url: string }>) => ({
    HUB_RPC_URL: hub.url,
    HUB_ALLOCATOR: parties.allocator,
    ORACLE_URL: by.map(({ url }) => url).join(","),
    ORACLE_API_KEY: ORACLE_KEY
  })
  const client = reader(hub)
  /** The keys of the gate's executions. */
  const executions = Effect.promise(async () => {
    const event = parseAbiItem("event Executed(bytes32 idempotencyKey, bytes[] actions)")
    const logs = await client.getLogs({ address: gate, event, fromBlock: 0n })
    return logs.flatMap(({ args: { idempotencyKey } }) => idempotencyKey ?? [])
  })
  return {
    ...network,
    oracles,
    executions,
    held: (account: Hex, token: bigint) =>
      Effect.promise(() =>
        client.readContract({ abi: hubAbi, address: HUB, functionName: "balanceOf", args: [account, token] })
      ),
    /** With the contract's address, but without the kind of gate that takes one. */
    startMistaken: startTransferInstance({ ...environment, ...settling(oracles) }, mistaken),
    startSettling: (form: keyof typeof configs, by: ReadonlyArray<{ readonly url: string }>) =>
      startTransferInstance({ ...environment, ...settling(by) }, configs[form])
  }
})
