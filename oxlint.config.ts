/**
 * The linter: correctness, no `any`, no promise left floating, the architecture's import rules
 * (scripts/lint/Layers.ts) and a core without clock, randomness, environment and network.
 * Every rule named here is planted and seen caught by scripts/check-planted-violations.ts.
 */
import { defineConfig } from "oxlint"
import { familyFolders } from "./scripts/lint/FamilyFolders.ts"

const testFiles = ["**/*.test.ts", "**/*.bench.ts", "**/*.load.ts", "**/testing/**"]

const worldGlobals = [
  "process",
  "fetch",
  "WebSocket",
  "EventSource",
  "XMLHttpRequest",
  "crypto",
  "performance",
  "console",
  "Buffer",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "require",
  "navigator",
  "localStorage"
]
/** Hex that is concatenated stays a tree of its pieces in memory: `HexDigits.ts` writes it flat. */
const ropes = "It concatenates its digits: use hexDigits or hexFromBytes of src/domain/chain."
const concatenatingHex = [
  { name: "@noble/hashes/utils.js", importNames: ["bytesToHex"], message: ropes },
  { name: "viem", importNames: ["bytesToHex"], message: ropes },
  { name: "viem/utils", importNames: ["bytesToHex"], message: ropes },
  { name: "effect/encoding/Hex", message: ropes },
  { name: "effect/encoding", importNames: ["Hex"], message: ropes }
]
/** What names a VM family outside of its folder. */
const namingFamilies = [
  ...familyFolders.map((name) => `src/domain/families/${name}/**`),
  // The registry of the core: the rules by name, and the codecs of withdrawals by name.
  "src/domain/families/index.ts",
  "src/domain/families/Withdrawals.ts",
  "src/domain/chain/VmFamily.ts"
]
/** Loops: `poll` itself, and the comparing of configurations, which the oracle runs without the metrics of `poll`. */
const looping = ["src/services/polling/Poll.ts", "src/services/operations/CheckedConfiguration.ts"]
const running = ["runPromise", "runPromiseExit", "runSync", "runSyncExit", "runFork", "runCallback"]
const ambient = [
  { object: "Date", property: "now", message: "Take the time as a value, or from effect's Clock." },
  { object: "Math", property: "random", message: "Take randomness as a value, or from effect's Random." },
  ...running.map((property) => ({ object: "Effect", property, message: "Only a host runs an effect." }))
]
const unnamedLoop = {
  object: "Effect",
  property: "forever",
  message: "Use poll of src/services/polling: it has a name, and goes on after a defect."
}

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise"],
  jsPlugins: ["./scripts/lint/ArchitecturePlugin.ts"],
  categories: { correctness: "error", suspicious: "error" },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  rules: {
    "causeway/layers": "error",
    "eslint/require-yield": "off",
    // Said otherwise here: tsc knows which function returns, and generators of effect end without.
    "typescript/consistent-return": "off",
    // Taste, against the house's: names of schemas and values repeat, spreads group arguments.
    "eslint/no-shadow": "off",
    "unicorn/no-useless-spread": "off",
    "unicorn/consistent-function-scoping": "off",
    "eslint/no-underscore-dangle": "off",
    "eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/ban-ts-comment": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-unsafe-argument": "error",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/no-unsafe-type-assertion": "error",
    "typescript/only-throw-error": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }]
  },
  overrides: [
    {
      files: ["src/**", "ports/**"],
      excludeFiles: testFiles,
      rules: {
        "eslint/no-restricted-globals": ["error", { globals: worldGlobals, checkGlobalObject: true }],
        "eslint/no-restricted-properties": ["error", ...ambient, unnamedLoop],
        "causeway/no-throw": "error",
        "causeway/no-clock": "error"
      }
    },
    { files: looping, rules: { "eslint/no-restricted-properties": ["error", ...ambient] } },
    {
      files: ["src/**", "ports/**", "adapters/**", "hosts/**"],
      excludeFiles: testFiles,
      rules: { "eslint/max-lines-per-function": ["error", { max: 100, skipBlankLines: true, skipComments: true }] }
    },
    {
      files: ["src/**", "ports/**"],
      excludeFiles: [...testFiles, ...namingFamilies],
      rules: { "causeway/family-names": "error" }
    },
    {
      files: ["hosts/**", "adapters/**"],
      excludeFiles: [
        ...testFiles,
        // The local network has a chain of each family.
        "hosts/localnet/**",
        ...familyFolders.map((name) => `adapters/${name}/**`),
        // A client's wallets, one folder a family.
        "hosts/transfer/client/*/**",
        // The command's wallets, one file a family.
        "hosts/cli/command/wallets/**"
      ],
      rules: { "causeway/family-names": "error" }
    },
    {
      files: ["src/**", "ports/**", "adapters/**"],
      excludeFiles: testFiles,
      rules: { "eslint/no-restricted-imports": ["error", { paths: concatenatingHex }] }
    },
    {
      // Tests look into what they know to be there, and force what must not compile.
      files: testFiles,
      rules: {
        "typescript/no-unsafe-type-assertion": "off",
        "typescript/no-non-null-assertion": "off"
      }
    }
  ]
})
