/**
 * Names that tools put into a function's source; runs on every thread.
 *
 * Harmless names get a stand-in when the source is compiled again. The others refer to code that stays in the module: imports that a
 * test runner or bundler renamed, and helpers of compilers for older targets.
 */
import { KEPT_NAMES_STAND_IN, keptNamesHelper } from './kept-names.js';
import { isReference, type Token } from './tokens.js';

/** The helper that keeps names (kept-names.ts), as it is called in code that is not minified. */
const KEEP_NAMES = /^__name\d*$/;

/** istanbul counts what ran by `cov_1a2b3c().s[0]++`, in older versions `cov_1a2b3c.s[0]++`. Nobody reads a worker's counts. */
const COVERAGE = /^cov_[\da-z]+$/;
const COVERAGE_SHIM = `(() => {
  const counts = {};
  const each = new Proxy(counts, { get: () => counts });
  const coverage = () => coverage;
  return Object.assign(coverage, { s: counts, f: counts, b: each, bT: each });
})()`;

/**
 * Checks whether each use of the name is in the form of the helper that keeps names, `name(fn, 'x')`. A minifier gives the helper a name
 * that variables of the program may have, too.
 */
export const namesFunctions = (name: string, tokens: readonly Token[]): boolean =>
  tokens.every((token, i) => token.text !== name || !isReference(tokens, i) || isNaming(tokens, i));

/** Is it `name(..., 'x')`? */
function isNaming(tokens: readonly Token[], i: number): boolean {
  const open = tokens[i + 1];
  if (open?.text !== '(') return false;
  const [comma, last] = tokens.slice(open.partner - 2, open.partner);
  return comma?.text === ',' && /^["'`]/.test(last?.text ?? '');
}

/** The text of a stand-in for a harmless name that the source refers to; undefined for other names. */
export function shimFor(name: string, tokens: readonly Token[]): string | undefined {
  if (KEEP_NAMES.test(name) || (name === keptNamesHelper() && namesFunctions(name, tokens))) return KEPT_NAMES_STAND_IN;
  return COVERAGE.test(name) ? COVERAGE_SHIM : undefined;
}

/** Imports as vite, vitest, webpack, Turbopack and Parcel write them. */
const RENAMED_IMPORT =
  /^(__vite_ssr_(import|exports?|dynamic_import|import_meta|exportAll)_*\w*|__vi_(import|esm)_\w*|__vite__cjsImport\w*|\w*__WEBPACK_(IMPORTED_MODULE|EXTERNAL_MODULE|DEFAULT_EXPORT)\w*|__webpack_(require|exports|module)_*|__turbopack_\w+|__TURBOPACK_\w+|\$parcel\$\w+|parcelRequire\w*)$/;

export const isRenamedImport = (name: string): boolean => RENAMED_IMPORT.test(name);

/** Helpers of TypeScript (also as `tslib_1.__awaiter`), esbuild, Babel and SWC, with the numbers that bundlers append cut off. */
const HELPERS = new Set(
  `tslib __extends __assign __rest __decorate __param __metadata __awaiter __generator __exportStar __createBinding
    __values __read __spread __spreadArrays __spreadArray __await __asyncGenerator __asyncDelegator __asyncValues
    __makeTemplateObject __importStar __importDefault __classPrivateFieldGet __classPrivateFieldSet
    __classPrivateFieldIn __addDisposableResource __disposeResources __esDecorate __runInitializers __propKey
    __setFunctionName __rewriteRelativeImportExtension
    __async __forAwait __yieldStar __defNormalProp __defProp __publicField __spreadValues __spreadProps __objRest
    __pow __privateAdd __privateGet __privateSet __privateMethod __privateIn __privateWrapper __superGet __superSet
    __superWrapper __template __using __callDispose __toESM __toCommonJS __require __commonJS __esm __export
    __reExport __decorateClass __decorateParam __decorateElement __decoratorStart __decoratorMetadata
    __runInitializers
    _classCallCheck _createClass _defineProperty _toConsumableArray _slicedToArray _toArray _objectSpread
    _objectWithoutProperties _objectWithoutPropertiesLoose _asyncToGenerator _asyncIterator _regeneratorRuntime
    _regenerator regeneratorRuntime _inherits _inheritsLoose _possibleConstructorReturn _assertThisInitialized
    _createForOfIteratorHelper _createForOfIteratorHelperLoose _createSuper _callSuper _superPropGet _superPropSet
    _taggedTemplateLiteral _taggedTemplateLiteralLoose _typeof _extends _wrapNativeSuper _isNativeReflectConstruct
    _interopRequireDefault _interopRequireWildcard _iterableToArray _arrayLikeToArray _unsupportedIterableToArray
    _nonIterableRest _nonIterableSpread _newArrowCheck _readOnlyError _classPrivateFieldGet _classPrivateFieldSet
    _classPrivateFieldInitSpec _classPrivateMethodInitSpec _classPrivateFieldLooseBase _wrapAsyncGenerator
    _awaitAsyncGenerator _objectDestructuringEmpty _toPropertyKey _construct _maybeArrayLike _applyDecs
    _class_call_check _create_class _define_property _to_consumable_array _sliced_to_array _object_spread
    _object_spread_props _object_without_properties _async_to_generator _async_iterator _ts_generator _ts_values
    _inherits _possible_constructor_return _create_for_of_iterator_helper _create_super _call_super
    _tagged_template_literal _type_of _wrap_native_super _interop_require_default _interop_require_wildcard
    _class_private_field_get _class_private_field_set _class_private_field_init _class_private_method_get _ts_decorate
    _using_ctx`.split(/\s+/),
);

/**
 * Checks whether it is a helper that a compiler put into the module. Names with an unmistakable form only: a miss is still reported
 * when it runs.
 */
export const isCompilerHelper = (name: string): boolean => HELPERS.has(name) || HELPERS.has(name.replace(/_?\d+$/, ''));
