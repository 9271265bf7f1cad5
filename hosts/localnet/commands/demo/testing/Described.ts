/** A network as `localnet.json` would describe it, without any running part. For tests of its commands' arguments. */
import { privateKeyToAccount } from "viem/accounts"
import type { Localnet } from "../../../run/state/LocalnetFile.ts"

const accountOf = (digits: string) => {
  const privateKey = `0x${digits.repeat(32)}` as const
  return { address: privateKeyToAccount(privateKey).address, privateKey }
}
const token = "0x156Be1ab50FD81B64705911D052A814D79F2B00E"
const chain = (id: string, chainId: number): Localnet["chains"][number] => ({
  id,
  chainId,
  vmType: "ethereum-vm",
  rpcUrl: "http://127.0.0.1:1",
  depository: token,
  router: token,
  depositFactory: token,
  tokens: [{ symbol: "USDC", address: token, decimals: 6 }],
  settlement: id === "beta"
})

export const localnet: Localnet = {
  environment: "local",
  transferUrl: "http://127.0.0.1:2",
  oracleUrl: "http://127.0.0.1:4",
  chains: [chain("alpha", 1), chain("beta", 2)],
  hub: { rpcUrl: "http://127.0.0.1:3", chainId: 3, hubAddress: token, oracleAddress: token },
  accounts: [accountOf("11"), accountOf("22")],
  solver: accountOf("33"),
  allocator: accountOf("44"),
  adminToken: "",
  demo: { apiKey: "", oracleApiKey: "", sponsorWallet: token, balanceUsd: "0.000000" },
  pid: 1
}

const wallet = { address: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", privateKey: "1".repeat(88) }

const indexed = (index: number, digits: string) => ({ index, ...accountOf(digits) })

const tronAccount = { address: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", privateKey: "11".repeat(32) }

const bitcoinAccount = { address: "bcrt1ql20mz8neuw7akkuvy2jf4snfqnrrqq6g3dsm4n", privateKey: "66".repeat(32) }

/** The same with the chains that are started on request. */
export const withFamilies: Localnet = {
  ...localnet,
  bitcoin: {
    id: "bitcoin-local",
    chainId: 5,
    vmType: "bitcoin-vm",
    rpcUrl: "http://127.0.0.1:7",
    explorerUrl: "http://127.0.0.1:7/api",
    depository: { address: "bcrt1qz6cephr7a4psshwm633jzz33gp9pgek9ew074w", privateKey: "55".repeat(32) },
    faucet: bitcoinAccount,
    accounts: [bitcoinAccount],
    solver: bitcoinAccount
  },
  tron: {
    id: "tron-local",
    chainId: 8,
    vmType: "tron-vm",
    rpcUrl: "http://127.0.0.1:10",
    jsonRpcUrl: "http://127.0.0.1:10/jsonrpc",
    depository: tronAccount.address,
    router: tronAccount.address,
    vault: tronAccount.address,
    tokens: [],
    accounts: [tronAccount],
    solver: tronAccount,
    allocator: tronAccount,
    faucet: tronAccount
  },
  exchangeA: {
    id: "exchangea-local",
    chainId: 6,
    vmType: "exchangea-vm",
    rpcUrl: "http://127.0.0.1:8",
    depository: accountOf("55"),
    accounts: localnet.accounts,
    solver: accountOf("66")
  },
  exchangeB: {
    id: "exchangeb-local",
    chainId: 7,
    vmType: "exchangeb-vm",
    rpcUrl: "http://127.0.0.1:9",
    depository: indexed(1_000, "55"),
    accounts: [indexed(1_001, "11")],
    solver: indexed(1_100, "77")
  }
}

/** The same with a Solana chain. */
export const withSolana: Localnet = {
  ...localnet,
  solana: {
    id: "solana-local",
    chainId: 4,
    vmType: "solana-vm",
    rpcUrl: "http://127.0.0.1:5",
    webSocketUrl: "ws://127.0.0.1:6",
    genesisHash: "",
    depository: wallet.address,
    depositoryAccount: wallet.address,
    vault: wallet.address,
    domain: "0x",
    tokens: [{ symbol: "USDC", address: wallet.address, decimals: 6, program: wallet.address }, {
      symbol: "FEE",
      address: wallet.address,
      decimals: 6,
      program: wallet.address
    }],
    accounts: [wallet],
    solver: wallet,
    allocator: wallet
  }
}
