import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __knownSymbol = (name, symbol) => (symbol = Symbol[name]) ? symbol : /* @__PURE__ */ Symbol.for("Symbol." + name);
var __typeError = (msg) => {
  throw TypeError(msg);
};
var __require = /* @__PURE__ */ ((x) => typeof require !== "undefined" ? require : typeof Proxy !== "undefined" ? new Proxy(x, {
  get: (a, b) => (typeof require !== "undefined" ? require : a)[b]
}) : x)(function(x) {
  if (typeof require !== "undefined") return require.apply(this, arguments);
  throw Error('Dynamic require of "' + x + '" is not supported');
});
var __commonJS = (cb, mod) => function __require2() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));
var __using = (stack, value, async) => {
  if (value != null) {
    if (typeof value !== "object" && typeof value !== "function") __typeError("Object expected");
    var dispose, inner;
    if (async) dispose = value[__knownSymbol("asyncDispose")];
    if (dispose === void 0) {
      dispose = value[__knownSymbol("dispose")];
      if (async) inner = dispose;
    }
    if (typeof dispose !== "function") __typeError("Object not disposable");
    if (inner) dispose = function() {
      try {
        inner.call(this);
      } catch (e) {
        return Promise.reject(e);
      }
    };
    stack.push([async, dispose, value]);
  } else if (async) {
    stack.push([async]);
  }
  return value;
};
var __callDispose = (stack, error2, hasError) => {
  var E = typeof SuppressedError === "function" ? SuppressedError : function(e, s, m, _) {
    return _ = Error(m), _.name = "SuppressedError", _.error = e, _.suppressed = s, _;
  };
  var fail = (e) => error2 = hasError ? new E(e, error2, "An error was suppressed during disposal") : (hasError = true, e);
  var next = (it) => {
    while (it = stack.pop()) {
      try {
        var result = it[1] && it[1].call(it[2]);
        if (it[0]) return Promise.resolve(result).then(next, (e) => (fail(e), next()));
      } catch (e) {
        fail(e);
      }
    }
    if (hasError) throw error2;
  };
  return next();
};

// node_modules/yaml/dist/nodes/identity.js
var require_identity = __commonJS({
  "node_modules/yaml/dist/nodes/identity.js"(exports) {
    "use strict";
    var ALIAS = /* @__PURE__ */ Symbol.for("yaml.alias");
    var DOC = /* @__PURE__ */ Symbol.for("yaml.document");
    var MAP = /* @__PURE__ */ Symbol.for("yaml.map");
    var PAIR = /* @__PURE__ */ Symbol.for("yaml.pair");
    var SCALAR = /* @__PURE__ */ Symbol.for("yaml.scalar");
    var SEQ = /* @__PURE__ */ Symbol.for("yaml.seq");
    var NODE_TYPE = /* @__PURE__ */ Symbol.for("yaml.node.type");
    var isAlias = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === ALIAS;
    var isDocument = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === DOC;
    var isMap = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === MAP;
    var isPair = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === PAIR;
    var isScalar = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SCALAR;
    var isSeq = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SEQ;
    function isCollection(node) {
      if (node && typeof node === "object")
        switch (node[NODE_TYPE]) {
          case MAP:
          case SEQ:
            return true;
        }
      return false;
    }
    function isNode(node) {
      if (node && typeof node === "object")
        switch (node[NODE_TYPE]) {
          case ALIAS:
          case MAP:
          case SCALAR:
          case SEQ:
            return true;
        }
      return false;
    }
    var hasAnchor = (node) => (isScalar(node) || isCollection(node)) && !!node.anchor;
    exports.ALIAS = ALIAS;
    exports.DOC = DOC;
    exports.MAP = MAP;
    exports.NODE_TYPE = NODE_TYPE;
    exports.PAIR = PAIR;
    exports.SCALAR = SCALAR;
    exports.SEQ = SEQ;
    exports.hasAnchor = hasAnchor;
    exports.isAlias = isAlias;
    exports.isCollection = isCollection;
    exports.isDocument = isDocument;
    exports.isMap = isMap;
    exports.isNode = isNode;
    exports.isPair = isPair;
    exports.isScalar = isScalar;
    exports.isSeq = isSeq;
  }
});

// node_modules/yaml/dist/visit.js
var require_visit = __commonJS({
  "node_modules/yaml/dist/visit.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var BREAK = /* @__PURE__ */ Symbol("break visit");
    var SKIP = /* @__PURE__ */ Symbol("skip children");
    var REMOVE = /* @__PURE__ */ Symbol("remove node");
    function visit(node, visitor) {
      const visitor_ = initVisitor(visitor);
      if (identity2.isDocument(node)) {
        const cd = visit_(null, node.contents, visitor_, Object.freeze([node]));
        if (cd === REMOVE)
          node.contents = null;
      } else
        visit_(null, node, visitor_, Object.freeze([]));
    }
    visit.BREAK = BREAK;
    visit.SKIP = SKIP;
    visit.REMOVE = REMOVE;
    function visit_(key, node, visitor, path) {
      const ctrl = callVisitor(key, node, visitor, path);
      if (identity2.isNode(ctrl) || identity2.isPair(ctrl)) {
        replaceNode(key, path, ctrl);
        return visit_(key, ctrl, visitor, path);
      }
      if (typeof ctrl !== "symbol") {
        if (identity2.isCollection(node)) {
          path = Object.freeze(path.concat(node));
          for (let i = 0; i < node.items.length; ++i) {
            const ci = visit_(i, node.items[i], visitor, path);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              node.items.splice(i, 1);
              i -= 1;
            }
          }
        } else if (identity2.isPair(node)) {
          path = Object.freeze(path.concat(node));
          const ck = visit_("key", node.key, visitor, path);
          if (ck === BREAK)
            return BREAK;
          else if (ck === REMOVE)
            node.key = null;
          const cv = visit_("value", node.value, visitor, path);
          if (cv === BREAK)
            return BREAK;
          else if (cv === REMOVE)
            node.value = null;
        }
      }
      return ctrl;
    }
    async function visitAsync(node, visitor) {
      const visitor_ = initVisitor(visitor);
      if (identity2.isDocument(node)) {
        const cd = await visitAsync_(null, node.contents, visitor_, Object.freeze([node]));
        if (cd === REMOVE)
          node.contents = null;
      } else
        await visitAsync_(null, node, visitor_, Object.freeze([]));
    }
    visitAsync.BREAK = BREAK;
    visitAsync.SKIP = SKIP;
    visitAsync.REMOVE = REMOVE;
    async function visitAsync_(key, node, visitor, path) {
      const ctrl = await callVisitor(key, node, visitor, path);
      if (identity2.isNode(ctrl) || identity2.isPair(ctrl)) {
        replaceNode(key, path, ctrl);
        return visitAsync_(key, ctrl, visitor, path);
      }
      if (typeof ctrl !== "symbol") {
        if (identity2.isCollection(node)) {
          path = Object.freeze(path.concat(node));
          for (let i = 0; i < node.items.length; ++i) {
            const ci = await visitAsync_(i, node.items[i], visitor, path);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              node.items.splice(i, 1);
              i -= 1;
            }
          }
        } else if (identity2.isPair(node)) {
          path = Object.freeze(path.concat(node));
          const ck = await visitAsync_("key", node.key, visitor, path);
          if (ck === BREAK)
            return BREAK;
          else if (ck === REMOVE)
            node.key = null;
          const cv = await visitAsync_("value", node.value, visitor, path);
          if (cv === BREAK)
            return BREAK;
          else if (cv === REMOVE)
            node.value = null;
        }
      }
      return ctrl;
    }
    function initVisitor(visitor) {
      if (typeof visitor === "object" && (visitor.Collection || visitor.Node || visitor.Value)) {
        return Object.assign({
          Alias: visitor.Node,
          Map: visitor.Node,
          Scalar: visitor.Node,
          Seq: visitor.Node
        }, visitor.Value && {
          Map: visitor.Value,
          Scalar: visitor.Value,
          Seq: visitor.Value
        }, visitor.Collection && {
          Map: visitor.Collection,
          Seq: visitor.Collection
        }, visitor);
      }
      return visitor;
    }
    function callVisitor(key, node, visitor, path) {
      if (typeof visitor === "function")
        return visitor(key, node, path);
      if (identity2.isMap(node))
        return visitor.Map?.(key, node, path);
      if (identity2.isSeq(node))
        return visitor.Seq?.(key, node, path);
      if (identity2.isPair(node))
        return visitor.Pair?.(key, node, path);
      if (identity2.isScalar(node))
        return visitor.Scalar?.(key, node, path);
      if (identity2.isAlias(node))
        return visitor.Alias?.(key, node, path);
      return void 0;
    }
    function replaceNode(key, path, node) {
      const parent = path[path.length - 1];
      if (identity2.isCollection(parent)) {
        parent.items[key] = node;
      } else if (identity2.isPair(parent)) {
        if (key === "key")
          parent.key = node;
        else
          parent.value = node;
      } else if (identity2.isDocument(parent)) {
        parent.contents = node;
      } else {
        const pt = identity2.isAlias(parent) ? "alias" : "scalar";
        throw new Error(`Cannot replace node with ${pt} parent`);
      }
    }
    exports.visit = visit;
    exports.visitAsync = visitAsync;
  }
});

// node_modules/yaml/dist/doc/directives.js
var require_directives = __commonJS({
  "node_modules/yaml/dist/doc/directives.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var visit = require_visit();
    var escapeChars = {
      "!": "%21",
      ",": "%2C",
      "[": "%5B",
      "]": "%5D",
      "{": "%7B",
      "}": "%7D"
    };
    var escapeTagName = (tn) => tn.replace(/[!,[\]{}]/g, (ch) => escapeChars[ch]);
    var Directives = class _Directives {
      constructor(yaml, tags) {
        this.docStart = null;
        this.docEnd = false;
        this.yaml = Object.assign({}, _Directives.defaultYaml, yaml);
        this.tags = Object.assign({}, _Directives.defaultTags, tags);
      }
      clone() {
        const copy = new _Directives(this.yaml, this.tags);
        copy.docStart = this.docStart;
        return copy;
      }
      /**
       * During parsing, get a Directives instance for the current document and
       * update the stream state according to the current version's spec.
       */
      atDocument() {
        const res = new _Directives(this.yaml, this.tags);
        switch (this.yaml.version) {
          case "1.1":
            this.atNextDocument = true;
            break;
          case "1.2":
            this.atNextDocument = false;
            this.yaml = {
              explicit: _Directives.defaultYaml.explicit,
              version: "1.2"
            };
            this.tags = Object.assign({}, _Directives.defaultTags);
            break;
        }
        return res;
      }
      /**
       * @param onError - May be called even if the action was successful
       * @returns `true` on success
       */
      add(line, onError) {
        if (this.atNextDocument) {
          this.yaml = { explicit: _Directives.defaultYaml.explicit, version: "1.1" };
          this.tags = Object.assign({}, _Directives.defaultTags);
          this.atNextDocument = false;
        }
        const parts = line.trim().split(/[ \t]+/);
        const name = parts.shift();
        switch (name) {
          case "%TAG": {
            if (parts.length !== 2) {
              onError(0, "%TAG directive should contain exactly two parts");
              if (parts.length < 2)
                return false;
            }
            const [handle, prefix] = parts;
            this.tags[handle] = prefix;
            return true;
          }
          case "%YAML": {
            this.yaml.explicit = true;
            if (parts.length !== 1) {
              onError(0, "%YAML directive should contain exactly one part");
              return false;
            }
            const [version] = parts;
            if (version === "1.1" || version === "1.2") {
              this.yaml.version = version;
              return true;
            } else {
              const isValid = /^\d+\.\d+$/.test(version);
              onError(6, `Unsupported YAML version ${version}`, isValid);
              return false;
            }
          }
          default:
            onError(0, `Unknown directive ${name}`, true);
            return false;
        }
      }
      /**
       * Resolves a tag, matching handles to those defined in %TAG directives.
       *
       * @returns Resolved tag, which may also be the non-specific tag `'!'` or a
       *   `'!local'` tag, or `null` if unresolvable.
       */
      tagName(source, onError) {
        if (source === "!")
          return "!";
        if (source[0] !== "!") {
          onError(`Not a valid tag: ${source}`);
          return null;
        }
        if (source[1] === "<") {
          const verbatim = source.slice(2, -1);
          if (verbatim === "!" || verbatim === "!!") {
            onError(`Verbatim tags aren't resolved, so ${source} is invalid.`);
            return null;
          }
          if (source[source.length - 1] !== ">")
            onError("Verbatim tags must end with a >");
          return verbatim;
        }
        const [, handle, suffix] = source.match(/^(.*!)([^!]*)$/s);
        if (!suffix)
          onError(`The ${source} tag has no suffix`);
        const prefix = this.tags[handle];
        if (prefix) {
          try {
            return prefix + decodeURIComponent(suffix);
          } catch (error2) {
            onError(String(error2));
            return null;
          }
        }
        if (handle === "!")
          return source;
        onError(`Could not resolve tag: ${source}`);
        return null;
      }
      /**
       * Given a fully resolved tag, returns its printable string form,
       * taking into account current tag prefixes and defaults.
       */
      tagString(tag) {
        for (const [handle, prefix] of Object.entries(this.tags)) {
          if (tag.startsWith(prefix))
            return handle + escapeTagName(tag.substring(prefix.length));
        }
        return tag[0] === "!" ? tag : `!<${tag}>`;
      }
      toString(doc) {
        const lines = this.yaml.explicit ? [`%YAML ${this.yaml.version || "1.2"}`] : [];
        const tagEntries = Object.entries(this.tags);
        let tagNames;
        if (doc && tagEntries.length > 0 && identity2.isNode(doc.contents)) {
          const tags = {};
          visit.visit(doc.contents, (_key, node) => {
            if (identity2.isNode(node) && node.tag)
              tags[node.tag] = true;
          });
          tagNames = Object.keys(tags);
        } else
          tagNames = [];
        for (const [handle, prefix] of tagEntries) {
          if (handle === "!!" && prefix === "tag:yaml.org,2002:")
            continue;
          if (!doc || tagNames.some((tn) => tn.startsWith(prefix)))
            lines.push(`%TAG ${handle} ${prefix}`);
        }
        return lines.join("\n");
      }
    };
    Directives.defaultYaml = { explicit: false, version: "1.2" };
    Directives.defaultTags = { "!!": "tag:yaml.org,2002:" };
    exports.Directives = Directives;
  }
});

// node_modules/yaml/dist/doc/anchors.js
var require_anchors = __commonJS({
  "node_modules/yaml/dist/doc/anchors.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var visit = require_visit();
    function anchorIsValid(anchor) {
      if (/[\x00-\x19\s,[\]{}]/.test(anchor)) {
        const sa = JSON.stringify(anchor);
        const msg = `Anchor must not contain whitespace or control characters: ${sa}`;
        throw new Error(msg);
      }
      return true;
    }
    function anchorNames(root) {
      const anchors = /* @__PURE__ */ new Set();
      visit.visit(root, {
        Value(_key, node) {
          if (node.anchor)
            anchors.add(node.anchor);
        }
      });
      return anchors;
    }
    function findNewAnchor(prefix, exclude) {
      for (let i = 1; true; ++i) {
        const name = `${prefix}${i}`;
        if (!exclude.has(name))
          return name;
      }
    }
    function createNodeAnchors(doc, prefix) {
      const aliasObjects = [];
      const sourceObjects = /* @__PURE__ */ new Map();
      let prevAnchors = null;
      return {
        onAnchor: (source) => {
          aliasObjects.push(source);
          prevAnchors ?? (prevAnchors = anchorNames(doc));
          const anchor = findNewAnchor(prefix, prevAnchors);
          prevAnchors.add(anchor);
          return anchor;
        },
        /**
         * With circular references, the source node is only resolved after all
         * of its child nodes are. This is why anchors are set only after all of
         * the nodes have been created.
         */
        setAnchors: () => {
          for (const source of aliasObjects) {
            const ref = sourceObjects.get(source);
            if (typeof ref === "object" && ref.anchor && (identity2.isScalar(ref.node) || identity2.isCollection(ref.node))) {
              ref.node.anchor = ref.anchor;
            } else {
              const error2 = new Error("Failed to resolve repeated object (this should not happen)");
              error2.source = source;
              throw error2;
            }
          }
        },
        sourceObjects
      };
    }
    exports.anchorIsValid = anchorIsValid;
    exports.anchorNames = anchorNames;
    exports.createNodeAnchors = createNodeAnchors;
    exports.findNewAnchor = findNewAnchor;
  }
});

// node_modules/yaml/dist/doc/applyReviver.js
var require_applyReviver = __commonJS({
  "node_modules/yaml/dist/doc/applyReviver.js"(exports) {
    "use strict";
    function applyReviver(reviver, obj, key, val) {
      if (val && typeof val === "object") {
        if (Array.isArray(val)) {
          for (let i = 0, len = val.length; i < len; ++i) {
            const v0 = val[i];
            const v1 = applyReviver(reviver, val, String(i), v0);
            if (v1 === void 0)
              delete val[i];
            else if (v1 !== v0)
              val[i] = v1;
          }
        } else if (val instanceof Map) {
          for (const k of Array.from(val.keys())) {
            const v0 = val.get(k);
            const v1 = applyReviver(reviver, val, k, v0);
            if (v1 === void 0)
              val.delete(k);
            else if (v1 !== v0)
              val.set(k, v1);
          }
        } else if (val instanceof Set) {
          for (const v0 of Array.from(val)) {
            const v1 = applyReviver(reviver, val, v0, v0);
            if (v1 === void 0)
              val.delete(v0);
            else if (v1 !== v0) {
              val.delete(v0);
              val.add(v1);
            }
          }
        } else {
          for (const [k, v0] of Object.entries(val)) {
            const v1 = applyReviver(reviver, val, k, v0);
            if (v1 === void 0)
              delete val[k];
            else if (v1 !== v0)
              val[k] = v1;
          }
        }
      }
      return reviver.call(obj, key, val);
    }
    exports.applyReviver = applyReviver;
  }
});

// node_modules/yaml/dist/nodes/toJS.js
var require_toJS = __commonJS({
  "node_modules/yaml/dist/nodes/toJS.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    function toJS(value, arg, ctx) {
      if (Array.isArray(value))
        return value.map((v, i) => toJS(v, String(i), ctx));
      if (value && typeof value.toJSON === "function") {
        if (!ctx || !identity2.hasAnchor(value))
          return value.toJSON(arg, ctx);
        const data = { aliasCount: 0, count: 1, res: void 0 };
        ctx.anchors.set(value, data);
        ctx.onCreate = (res2) => {
          data.res = res2;
          delete ctx.onCreate;
        };
        const res = value.toJSON(arg, ctx);
        if (ctx.onCreate)
          ctx.onCreate(res);
        return res;
      }
      if (typeof value === "bigint" && !ctx?.keep)
        return Number(value);
      return value;
    }
    exports.toJS = toJS;
  }
});

// node_modules/yaml/dist/nodes/Node.js
var require_Node = __commonJS({
  "node_modules/yaml/dist/nodes/Node.js"(exports) {
    "use strict";
    var applyReviver = require_applyReviver();
    var identity2 = require_identity();
    var toJS = require_toJS();
    var NodeBase = class {
      constructor(type) {
        Object.defineProperty(this, identity2.NODE_TYPE, { value: type });
      }
      /** Create a copy of this node.  */
      clone() {
        const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /** A plain JavaScript representation of this node. */
      toJS(doc, { mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
        if (!identity2.isDocument(doc))
          throw new TypeError("A document argument is required");
        const ctx = {
          anchors: /* @__PURE__ */ new Map(),
          doc,
          keep: true,
          mapAsMap: mapAsMap === true,
          mapKeyWarned: false,
          maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
        };
        const res = toJS.toJS(this, "", ctx);
        if (typeof onAnchor === "function")
          for (const { count, res: res2 } of ctx.anchors.values())
            onAnchor(res2, count);
        return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
      }
    };
    exports.NodeBase = NodeBase;
  }
});

// node_modules/yaml/dist/nodes/Alias.js
var require_Alias = __commonJS({
  "node_modules/yaml/dist/nodes/Alias.js"(exports) {
    "use strict";
    var anchors = require_anchors();
    var visit = require_visit();
    var identity2 = require_identity();
    var Node = require_Node();
    var toJS = require_toJS();
    var Alias = class extends Node.NodeBase {
      constructor(source) {
        super(identity2.ALIAS);
        this.source = source;
        Object.defineProperty(this, "tag", {
          set() {
            throw new Error("Alias nodes cannot have tags");
          }
        });
      }
      /**
       * Resolve the value of this alias within `doc`, finding the last
       * instance of the `source` anchor before this node.
       */
      resolve(doc, ctx) {
        if (ctx?.maxAliasCount === 0)
          throw new ReferenceError("Alias resolution is disabled");
        let nodes;
        if (ctx?.aliasResolveCache) {
          nodes = ctx.aliasResolveCache;
        } else {
          nodes = [];
          visit.visit(doc, {
            Node: (_key, node) => {
              if (identity2.isAlias(node) || identity2.hasAnchor(node))
                nodes.push(node);
            }
          });
          if (ctx)
            ctx.aliasResolveCache = nodes;
        }
        let found = void 0;
        for (const node of nodes) {
          if (node === this)
            break;
          if (node.anchor === this.source)
            found = node;
        }
        if (found && ctx) {
          const { anchors: anchors2, doc: doc2, maxAliasCount } = ctx;
          let data = anchors2.get(found);
          if (!data) {
            toJS.toJS(found, null, ctx);
            data = anchors2.get(found);
          }
          if (data?.res === void 0) {
            const msg = "This should not happen: Alias anchor was not resolved?";
            throw new ReferenceError(msg);
          }
          if (maxAliasCount >= 0) {
            data.count += 1;
            if (data.aliasCount === 0)
              data.aliasCount = getAliasCount(doc2, found, anchors2);
            if (data.count * data.aliasCount > maxAliasCount) {
              const msg = "Excessive alias count indicates a resource exhaustion attack";
              throw new ReferenceError(msg);
            }
          }
        }
        return found;
      }
      toJSON(_arg, ctx) {
        if (!ctx)
          return { source: this.source };
        const source = this.resolve(ctx.doc, ctx);
        if (!source) {
          const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
          throw new ReferenceError(msg);
        }
        return ctx.anchors.get(source).res;
      }
      toString(ctx, _onComment, _onChompKeep) {
        const src = `*${this.source}`;
        if (ctx) {
          anchors.anchorIsValid(this.source);
          if (ctx.options.verifyAliasOrder && !ctx.anchors.has(this.source)) {
            const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
            throw new Error(msg);
          }
          if (ctx.implicitKey)
            return `${src} `;
        }
        return src;
      }
    };
    function getAliasCount(doc, node, anchors2) {
      if (identity2.isAlias(node)) {
        const source = node.resolve(doc);
        const anchor = anchors2 && source && anchors2.get(source);
        return anchor ? anchor.count * anchor.aliasCount : 0;
      } else if (identity2.isCollection(node)) {
        let count = 0;
        for (const item of node.items) {
          const c = getAliasCount(doc, item, anchors2);
          if (c > count)
            count = c;
        }
        return count;
      } else if (identity2.isPair(node)) {
        const kc = getAliasCount(doc, node.key, anchors2);
        const vc = getAliasCount(doc, node.value, anchors2);
        return Math.max(kc, vc);
      }
      return 1;
    }
    exports.Alias = Alias;
  }
});

// node_modules/yaml/dist/nodes/Scalar.js
var require_Scalar = __commonJS({
  "node_modules/yaml/dist/nodes/Scalar.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Node = require_Node();
    var toJS = require_toJS();
    var isScalarValue = (value) => !value || typeof value !== "function" && typeof value !== "object";
    var Scalar = class extends Node.NodeBase {
      constructor(value) {
        super(identity2.SCALAR);
        this.value = value;
      }
      toJSON(arg, ctx) {
        return ctx?.keep ? this.value : toJS.toJS(this.value, arg, ctx);
      }
      toString() {
        return String(this.value);
      }
    };
    Scalar.BLOCK_FOLDED = "BLOCK_FOLDED";
    Scalar.BLOCK_LITERAL = "BLOCK_LITERAL";
    Scalar.PLAIN = "PLAIN";
    Scalar.QUOTE_DOUBLE = "QUOTE_DOUBLE";
    Scalar.QUOTE_SINGLE = "QUOTE_SINGLE";
    exports.Scalar = Scalar;
    exports.isScalarValue = isScalarValue;
  }
});

// node_modules/yaml/dist/doc/createNode.js
var require_createNode = __commonJS({
  "node_modules/yaml/dist/doc/createNode.js"(exports) {
    "use strict";
    var Alias = require_Alias();
    var identity2 = require_identity();
    var Scalar = require_Scalar();
    var defaultTagPrefix = "tag:yaml.org,2002:";
    function findTagObject(value, tagName, tags) {
      if (tagName) {
        const match = tags.filter((t) => t.tag === tagName);
        const tagObj = match.find((t) => !t.format) ?? match[0];
        if (!tagObj)
          throw new Error(`Tag ${tagName} not found`);
        return tagObj;
      }
      return tags.find((t) => t.identify?.(value) && !t.format);
    }
    function createNode(value, tagName, ctx) {
      if (identity2.isDocument(value))
        value = value.contents;
      if (identity2.isNode(value))
        return value;
      if (identity2.isPair(value)) {
        const map = ctx.schema[identity2.MAP].createNode?.(ctx.schema, null, ctx);
        map.items.push(value);
        return map;
      }
      if (value instanceof String || value instanceof Number || value instanceof Boolean || typeof BigInt !== "undefined" && value instanceof BigInt) {
        value = value.valueOf();
      }
      const { aliasDuplicateObjects, onAnchor, onTagObj, schema, sourceObjects } = ctx;
      let ref = void 0;
      if (aliasDuplicateObjects && value && typeof value === "object") {
        ref = sourceObjects.get(value);
        if (ref) {
          ref.anchor ?? (ref.anchor = onAnchor(value));
          return new Alias.Alias(ref.anchor);
        } else {
          ref = { anchor: null, node: null };
          sourceObjects.set(value, ref);
        }
      }
      if (tagName?.startsWith("!!"))
        tagName = defaultTagPrefix + tagName.slice(2);
      let tagObj = findTagObject(value, tagName, schema.tags);
      if (!tagObj) {
        if (value && typeof value.toJSON === "function") {
          value = value.toJSON();
        }
        if (!value || typeof value !== "object") {
          const node2 = new Scalar.Scalar(value);
          if (ref)
            ref.node = node2;
          return node2;
        }
        tagObj = value instanceof Map ? schema[identity2.MAP] : Symbol.iterator in Object(value) ? schema[identity2.SEQ] : schema[identity2.MAP];
      }
      if (onTagObj) {
        onTagObj(tagObj);
        delete ctx.onTagObj;
      }
      const node = tagObj?.createNode ? tagObj.createNode(ctx.schema, value, ctx) : typeof tagObj?.nodeClass?.from === "function" ? tagObj.nodeClass.from(ctx.schema, value, ctx) : new Scalar.Scalar(value);
      if (tagName)
        node.tag = tagName;
      else if (!tagObj.default)
        node.tag = tagObj.tag;
      if (ref)
        ref.node = node;
      return node;
    }
    exports.createNode = createNode;
  }
});

// node_modules/yaml/dist/nodes/Collection.js
var require_Collection = __commonJS({
  "node_modules/yaml/dist/nodes/Collection.js"(exports) {
    "use strict";
    var createNode = require_createNode();
    var identity2 = require_identity();
    var Node = require_Node();
    function collectionFromPath(schema, path, value) {
      let v = value;
      for (let i = path.length - 1; i >= 0; --i) {
        const k = path[i];
        if (typeof k === "number" && Number.isInteger(k) && k >= 0) {
          const a = [];
          a[k] = v;
          v = a;
        } else {
          v = /* @__PURE__ */ new Map([[k, v]]);
        }
      }
      return createNode.createNode(v, void 0, {
        aliasDuplicateObjects: false,
        keepUndefined: false,
        onAnchor: () => {
          throw new Error("This should not happen, please report a bug.");
        },
        schema,
        sourceObjects: /* @__PURE__ */ new Map()
      });
    }
    var isEmptyPath = (path) => path == null || typeof path === "object" && !!path[Symbol.iterator]().next().done;
    var Collection = class extends Node.NodeBase {
      constructor(type, schema) {
        super(type);
        Object.defineProperty(this, "schema", {
          value: schema,
          configurable: true,
          enumerable: false,
          writable: true
        });
      }
      /**
       * Create a copy of this collection.
       *
       * @param schema - If defined, overwrites the original's schema
       */
      clone(schema) {
        const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
        if (schema)
          copy.schema = schema;
        copy.items = copy.items.map((it) => identity2.isNode(it) || identity2.isPair(it) ? it.clone(schema) : it);
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /**
       * Adds a value to the collection. For `!!map` and `!!omap` the value must
       * be a Pair instance or a `{ key, value }` object, which may not have a key
       * that already exists in the map.
       */
      addIn(path, value) {
        if (isEmptyPath(path))
          this.add(value);
        else {
          const [key, ...rest] = path;
          const node = this.get(key, true);
          if (identity2.isCollection(node))
            node.addIn(rest, value);
          else if (node === void 0 && this.schema)
            this.set(key, collectionFromPath(this.schema, rest, value));
          else
            throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
        }
      }
      /**
       * Removes a value from the collection.
       * @returns `true` if the item was found and removed.
       */
      deleteIn(path) {
        const [key, ...rest] = path;
        if (rest.length === 0)
          return this.delete(key);
        const node = this.get(key, true);
        if (identity2.isCollection(node))
          return node.deleteIn(rest);
        else
          throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
      }
      /**
       * Returns item at `key`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      getIn(path, keepScalar) {
        const [key, ...rest] = path;
        const node = this.get(key, true);
        if (rest.length === 0)
          return !keepScalar && identity2.isScalar(node) ? node.value : node;
        else
          return identity2.isCollection(node) ? node.getIn(rest, keepScalar) : void 0;
      }
      hasAllNullValues(allowScalar) {
        return this.items.every((node) => {
          if (!identity2.isPair(node))
            return false;
          const n = node.value;
          return n == null || allowScalar && identity2.isScalar(n) && n.value == null && !n.commentBefore && !n.comment && !n.tag;
        });
      }
      /**
       * Checks if the collection includes a value with the key `key`.
       */
      hasIn(path) {
        const [key, ...rest] = path;
        if (rest.length === 0)
          return this.has(key);
        const node = this.get(key, true);
        return identity2.isCollection(node) ? node.hasIn(rest) : false;
      }
      /**
       * Sets a value in this collection. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      setIn(path, value) {
        const [key, ...rest] = path;
        if (rest.length === 0) {
          this.set(key, value);
        } else {
          const node = this.get(key, true);
          if (identity2.isCollection(node))
            node.setIn(rest, value);
          else if (node === void 0 && this.schema)
            this.set(key, collectionFromPath(this.schema, rest, value));
          else
            throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
        }
      }
    };
    exports.Collection = Collection;
    exports.collectionFromPath = collectionFromPath;
    exports.isEmptyPath = isEmptyPath;
  }
});

// node_modules/yaml/dist/stringify/stringifyComment.js
var require_stringifyComment = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyComment.js"(exports) {
    "use strict";
    var stringifyComment = (str) => str.replace(/^(?!$)(?: $)?/gm, "#");
    function indentComment(comment, indent) {
      if (/^\n+$/.test(comment))
        return comment.substring(1);
      return indent ? comment.replace(/^(?! *$)/gm, indent) : comment;
    }
    var lineComment = (str, indent, comment) => str.endsWith("\n") ? indentComment(comment, indent) : comment.includes("\n") ? "\n" + indentComment(comment, indent) : (str.endsWith(" ") ? "" : " ") + comment;
    exports.indentComment = indentComment;
    exports.lineComment = lineComment;
    exports.stringifyComment = stringifyComment;
  }
});

// node_modules/yaml/dist/stringify/foldFlowLines.js
var require_foldFlowLines = __commonJS({
  "node_modules/yaml/dist/stringify/foldFlowLines.js"(exports) {
    "use strict";
    var FOLD_FLOW = "flow";
    var FOLD_BLOCK = "block";
    var FOLD_QUOTED = "quoted";
    function foldFlowLines(text2, indent, mode = "flow", { indentAtStart, lineWidth = 80, minContentWidth = 20, onFold, onOverflow } = {}) {
      if (!lineWidth || lineWidth < 0)
        return text2;
      if (lineWidth < minContentWidth)
        minContentWidth = 0;
      const endStep = Math.max(1 + minContentWidth, 1 + lineWidth - indent.length);
      if (text2.length <= endStep)
        return text2;
      const folds = [];
      const escapedFolds = {};
      let end = lineWidth - indent.length;
      if (typeof indentAtStart === "number") {
        if (indentAtStart > lineWidth - Math.max(2, minContentWidth))
          folds.push(0);
        else
          end = lineWidth - indentAtStart;
      }
      let split = void 0;
      let prev = void 0;
      let overflow = false;
      let i = -1;
      let escStart = -1;
      let escEnd = -1;
      if (mode === FOLD_BLOCK) {
        i = consumeMoreIndentedLines(text2, i, indent.length);
        if (i !== -1)
          end = i + endStep;
      }
      for (let ch; ch = text2[i += 1]; ) {
        if (mode === FOLD_QUOTED && ch === "\\") {
          escStart = i;
          switch (text2[i + 1]) {
            case "x":
              i += 3;
              break;
            case "u":
              i += 5;
              break;
            case "U":
              i += 9;
              break;
            default:
              i += 1;
          }
          escEnd = i;
        }
        if (ch === "\n") {
          if (mode === FOLD_BLOCK)
            i = consumeMoreIndentedLines(text2, i, indent.length);
          end = i + indent.length + endStep;
          split = void 0;
        } else {
          if (ch === " " && prev && prev !== " " && prev !== "\n" && prev !== "	") {
            const next = text2[i + 1];
            if (next && next !== " " && next !== "\n" && next !== "	")
              split = i;
          }
          if (i >= end) {
            if (split) {
              folds.push(split);
              end = split + endStep;
              split = void 0;
            } else if (mode === FOLD_QUOTED) {
              while (prev === " " || prev === "	") {
                prev = ch;
                ch = text2[i += 1];
                overflow = true;
              }
              const j = i > escEnd + 1 ? i - 2 : escStart - 1;
              if (escapedFolds[j])
                return text2;
              folds.push(j);
              escapedFolds[j] = true;
              end = j + endStep;
              split = void 0;
            } else {
              overflow = true;
            }
          }
        }
        prev = ch;
      }
      if (overflow && onOverflow)
        onOverflow();
      if (folds.length === 0)
        return text2;
      if (onFold)
        onFold();
      let res = text2.slice(0, folds[0]);
      for (let i2 = 0; i2 < folds.length; ++i2) {
        const fold = folds[i2];
        const end2 = folds[i2 + 1] || text2.length;
        if (fold === 0)
          res = `
${indent}${text2.slice(0, end2)}`;
        else {
          if (mode === FOLD_QUOTED && escapedFolds[fold])
            res += `${text2[fold]}\\`;
          res += `
${indent}${text2.slice(fold + 1, end2)}`;
        }
      }
      return res;
    }
    function consumeMoreIndentedLines(text2, i, indent) {
      let end = i;
      let start = i + 1;
      let ch = text2[start];
      while (ch === " " || ch === "	") {
        if (i < start + indent) {
          ch = text2[++i];
        } else {
          do {
            ch = text2[++i];
          } while (ch && ch !== "\n");
          end = i;
          start = i + 1;
          ch = text2[start];
        }
      }
      return end;
    }
    exports.FOLD_BLOCK = FOLD_BLOCK;
    exports.FOLD_FLOW = FOLD_FLOW;
    exports.FOLD_QUOTED = FOLD_QUOTED;
    exports.foldFlowLines = foldFlowLines;
  }
});

// node_modules/yaml/dist/stringify/stringifyString.js
var require_stringifyString = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyString.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var foldFlowLines = require_foldFlowLines();
    var getFoldOptions = (ctx, isBlock) => ({
      indentAtStart: isBlock ? ctx.indent.length : ctx.indentAtStart,
      lineWidth: ctx.options.lineWidth,
      minContentWidth: ctx.options.minContentWidth
    });
    var containsDocumentMarker = (str) => /^(%|---|\.\.\.)/m.test(str);
    function lineLengthOverLimit(str, lineWidth, indentLength) {
      if (!lineWidth || lineWidth < 0)
        return false;
      const limit = lineWidth - indentLength;
      const strLen = str.length;
      if (strLen <= limit)
        return false;
      for (let i = 0, start = 0; i < strLen; ++i) {
        if (str[i] === "\n") {
          if (i - start > limit)
            return true;
          start = i + 1;
          if (strLen - start <= limit)
            return false;
        }
      }
      return true;
    }
    function doubleQuotedString(value, ctx) {
      const json = JSON.stringify(value);
      if (ctx.options.doubleQuotedAsJSON)
        return json;
      const { implicitKey } = ctx;
      const minMultiLineLength = ctx.options.doubleQuotedMinMultiLineLength;
      const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
      let str = "";
      let start = 0;
      for (let i = 0, ch = json[i]; ch; ch = json[++i]) {
        if (ch === " " && json[i + 1] === "\\" && json[i + 2] === "n") {
          str += json.slice(start, i) + "\\ ";
          i += 1;
          start = i;
          ch = "\\";
        }
        if (ch === "\\")
          switch (json[i + 1]) {
            case "u":
              {
                str += json.slice(start, i);
                const code2 = json.substr(i + 2, 4);
                switch (code2) {
                  case "0000":
                    str += "\\0";
                    break;
                  case "0007":
                    str += "\\a";
                    break;
                  case "000b":
                    str += "\\v";
                    break;
                  case "001b":
                    str += "\\e";
                    break;
                  case "0085":
                    str += "\\N";
                    break;
                  case "00a0":
                    str += "\\_";
                    break;
                  case "2028":
                    str += "\\L";
                    break;
                  case "2029":
                    str += "\\P";
                    break;
                  default:
                    if (code2.substr(0, 2) === "00")
                      str += "\\x" + code2.substr(2);
                    else
                      str += json.substr(i, 6);
                }
                i += 5;
                start = i + 1;
              }
              break;
            case "n":
              if (implicitKey || json[i + 2] === '"' || json.length < minMultiLineLength) {
                i += 1;
              } else {
                str += json.slice(start, i) + "\n\n";
                while (json[i + 2] === "\\" && json[i + 3] === "n" && json[i + 4] !== '"') {
                  str += "\n";
                  i += 2;
                }
                str += indent;
                if (json[i + 2] === " ")
                  str += "\\";
                i += 1;
                start = i + 1;
              }
              break;
            default:
              i += 1;
          }
      }
      str = start ? str + json.slice(start) : json;
      return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_QUOTED, getFoldOptions(ctx, false));
    }
    function singleQuotedString(value, ctx) {
      if (ctx.options.singleQuote === false || ctx.implicitKey && value.includes("\n") || /[ \t]\n|\n[ \t]/.test(value))
        return doubleQuotedString(value, ctx);
      const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
      const res = "'" + value.replace(/'/g, "''").replace(/\n+/g, `$&
${indent}`) + "'";
      return ctx.implicitKey ? res : foldFlowLines.foldFlowLines(res, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
    }
    function quotedString(value, ctx) {
      const { singleQuote } = ctx.options;
      let qs;
      if (singleQuote === false)
        qs = doubleQuotedString;
      else {
        const hasDouble = value.includes('"');
        const hasSingle = value.includes("'");
        if (hasDouble && !hasSingle)
          qs = singleQuotedString;
        else if (hasSingle && !hasDouble)
          qs = doubleQuotedString;
        else
          qs = singleQuote ? singleQuotedString : doubleQuotedString;
      }
      return qs(value, ctx);
    }
    var blockEndNewlines;
    try {
      blockEndNewlines = new RegExp("(^|(?<!\n))\n+(?!\n|$)", "g");
    } catch {
      blockEndNewlines = /\n+(?!\n|$)/g;
    }
    function blockString({ comment, type, value }, ctx, onComment, onChompKeep) {
      const { blockQuote, commentString, lineWidth } = ctx.options;
      if (!blockQuote || /\n[\t ]+$/.test(value)) {
        return quotedString(value, ctx);
      }
      const indent = ctx.indent || (ctx.forceBlockIndent || containsDocumentMarker(value) ? "  " : "");
      const literal2 = blockQuote === "literal" ? true : blockQuote === "folded" || type === Scalar.Scalar.BLOCK_FOLDED ? false : type === Scalar.Scalar.BLOCK_LITERAL ? true : !lineLengthOverLimit(value, lineWidth, indent.length);
      if (!value)
        return literal2 ? "|\n" : ">\n";
      let chomp;
      let endStart;
      for (endStart = value.length; endStart > 0; --endStart) {
        const ch = value[endStart - 1];
        if (ch !== "\n" && ch !== "	" && ch !== " ")
          break;
      }
      let end = value.substring(endStart);
      const endNlPos = end.indexOf("\n");
      if (endNlPos === -1) {
        chomp = "-";
      } else if (value === end || endNlPos !== end.length - 1) {
        chomp = "+";
        if (onChompKeep)
          onChompKeep();
      } else {
        chomp = "";
      }
      if (end) {
        value = value.slice(0, -end.length);
        if (end[end.length - 1] === "\n")
          end = end.slice(0, -1);
        end = end.replace(blockEndNewlines, `$&${indent}`);
      }
      let startWithSpace = false;
      let startEnd;
      let startNlPos = -1;
      for (startEnd = 0; startEnd < value.length; ++startEnd) {
        const ch = value[startEnd];
        if (ch === " ")
          startWithSpace = true;
        else if (ch === "\n")
          startNlPos = startEnd;
        else
          break;
      }
      let start = value.substring(0, startNlPos < startEnd ? startNlPos + 1 : startEnd);
      if (start) {
        value = value.substring(start.length);
        start = start.replace(/\n+/g, `$&${indent}`);
      }
      const indentSize = indent ? "2" : "1";
      let header = (startWithSpace ? indentSize : "") + chomp;
      if (comment) {
        header += " " + commentString(comment.replace(/ ?[\r\n]+/g, " "));
        if (onComment)
          onComment();
      }
      if (!literal2) {
        const foldedValue = value.replace(/\n+/g, "\n$&").replace(/(?:^|\n)([\t ].*)(?:([\n\t ]*)\n(?![\n\t ]))?/g, "$1$2").replace(/\n+/g, `$&${indent}`);
        let literalFallback = false;
        const foldOptions = getFoldOptions(ctx, true);
        if (blockQuote !== "folded" && type !== Scalar.Scalar.BLOCK_FOLDED) {
          foldOptions.onOverflow = () => {
            literalFallback = true;
          };
        }
        const body = foldFlowLines.foldFlowLines(`${start}${foldedValue}${end}`, indent, foldFlowLines.FOLD_BLOCK, foldOptions);
        if (!literalFallback)
          return `>${header}
${indent}${body}`;
      }
      value = value.replace(/\n+/g, `$&${indent}`);
      return `|${header}
${indent}${start}${value}${end}`;
    }
    function plainString(item, ctx, onComment, onChompKeep) {
      const { type, value } = item;
      const { actualString, implicitKey, indent, indentStep, inFlow } = ctx;
      if (implicitKey && value.includes("\n") || inFlow && /[[\]{},]/.test(value)) {
        return quotedString(value, ctx);
      }
      if (/^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/.test(value)) {
        return implicitKey || inFlow || !value.includes("\n") ? quotedString(value, ctx) : blockString(item, ctx, onComment, onChompKeep);
      }
      if (!implicitKey && !inFlow && type !== Scalar.Scalar.PLAIN && value.includes("\n")) {
        return blockString(item, ctx, onComment, onChompKeep);
      }
      if (containsDocumentMarker(value)) {
        if (indent === "") {
          ctx.forceBlockIndent = true;
          return blockString(item, ctx, onComment, onChompKeep);
        } else if (implicitKey && indent === indentStep) {
          return quotedString(value, ctx);
        }
      }
      const str = value.replace(/\n+/g, `$&
${indent}`);
      if (actualString) {
        const test = (tag) => tag.default && tag.tag !== "tag:yaml.org,2002:str" && tag.test?.test(str);
        const { compat, tags } = ctx.doc.schema;
        if (tags.some(test) || compat?.some(test))
          return quotedString(value, ctx);
      }
      return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
    }
    function stringifyString(item, ctx, onComment, onChompKeep) {
      const { implicitKey, inFlow } = ctx;
      const ss = typeof item.value === "string" ? item : Object.assign({}, item, { value: String(item.value) });
      let { type } = item;
      if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
        if (/[\x00-\x08\x0b-\x1f\x7f-\x9f\u{D800}-\u{DFFF}]/u.test(ss.value))
          type = Scalar.Scalar.QUOTE_DOUBLE;
      }
      const _stringify = (_type) => {
        switch (_type) {
          case Scalar.Scalar.BLOCK_FOLDED:
          case Scalar.Scalar.BLOCK_LITERAL:
            return implicitKey || inFlow ? quotedString(ss.value, ctx) : blockString(ss, ctx, onComment, onChompKeep);
          case Scalar.Scalar.QUOTE_DOUBLE:
            return doubleQuotedString(ss.value, ctx);
          case Scalar.Scalar.QUOTE_SINGLE:
            return singleQuotedString(ss.value, ctx);
          case Scalar.Scalar.PLAIN:
            return plainString(ss, ctx, onComment, onChompKeep);
          default:
            return null;
        }
      };
      let res = _stringify(type);
      if (res === null) {
        const { defaultKeyType, defaultStringType } = ctx.options;
        const t = implicitKey && defaultKeyType || defaultStringType;
        res = _stringify(t);
        if (res === null)
          throw new Error(`Unsupported default string type ${t}`);
      }
      return res;
    }
    exports.stringifyString = stringifyString;
  }
});

// node_modules/yaml/dist/stringify/stringify.js
var require_stringify = __commonJS({
  "node_modules/yaml/dist/stringify/stringify.js"(exports) {
    "use strict";
    var anchors = require_anchors();
    var identity2 = require_identity();
    var stringifyComment = require_stringifyComment();
    var stringifyString = require_stringifyString();
    function createStringifyContext(doc, options) {
      const opt = Object.assign({
        blockQuote: true,
        commentString: stringifyComment.stringifyComment,
        defaultKeyType: null,
        defaultStringType: "PLAIN",
        directives: null,
        doubleQuotedAsJSON: false,
        doubleQuotedMinMultiLineLength: 40,
        falseStr: "false",
        flowCollectionPadding: true,
        indentSeq: true,
        lineWidth: 80,
        minContentWidth: 20,
        nullStr: "null",
        simpleKeys: false,
        singleQuote: null,
        trailingComma: false,
        trueStr: "true",
        verifyAliasOrder: true
      }, doc.schema.toStringOptions, options);
      let inFlow;
      switch (opt.collectionStyle) {
        case "block":
          inFlow = false;
          break;
        case "flow":
          inFlow = true;
          break;
        default:
          inFlow = null;
      }
      return {
        anchors: /* @__PURE__ */ new Set(),
        doc,
        flowCollectionPadding: opt.flowCollectionPadding ? " " : "",
        indent: "",
        indentStep: typeof opt.indent === "number" ? " ".repeat(opt.indent) : "  ",
        inFlow,
        options: opt
      };
    }
    function getTagObject(tags, item) {
      if (item.tag) {
        const match = tags.filter((t) => t.tag === item.tag);
        if (match.length > 0)
          return match.find((t) => t.format === item.format) ?? match[0];
      }
      let tagObj = void 0;
      let obj;
      if (identity2.isScalar(item)) {
        obj = item.value;
        let match = tags.filter((t) => t.identify?.(obj));
        if (match.length > 1) {
          const testMatch = match.filter((t) => t.test);
          if (testMatch.length > 0)
            match = testMatch;
        }
        tagObj = match.find((t) => t.format === item.format) ?? match.find((t) => !t.format);
      } else {
        obj = item;
        tagObj = tags.find((t) => t.nodeClass && obj instanceof t.nodeClass);
      }
      if (!tagObj) {
        const name = obj?.constructor?.name ?? (obj === null ? "null" : typeof obj);
        throw new Error(`Tag not resolved for ${name} value`);
      }
      return tagObj;
    }
    function stringifyProps(node, tagObj, { anchors: anchors$1, doc }) {
      if (!doc.directives)
        return "";
      const props = [];
      const anchor = (identity2.isScalar(node) || identity2.isCollection(node)) && node.anchor;
      if (anchor && anchors.anchorIsValid(anchor)) {
        anchors$1.add(anchor);
        props.push(`&${anchor}`);
      }
      const tag = node.tag ?? (tagObj.default ? null : tagObj.tag);
      if (tag)
        props.push(doc.directives.tagString(tag));
      return props.join(" ");
    }
    function stringify(item, ctx, onComment, onChompKeep) {
      if (identity2.isPair(item))
        return item.toString(ctx, onComment, onChompKeep);
      if (identity2.isAlias(item)) {
        if (ctx.doc.directives)
          return item.toString(ctx);
        if (ctx.resolvedAliases?.has(item)) {
          throw new TypeError(`Cannot stringify circular structure without alias nodes`);
        } else {
          if (ctx.resolvedAliases)
            ctx.resolvedAliases.add(item);
          else
            ctx.resolvedAliases = /* @__PURE__ */ new Set([item]);
          item = item.resolve(ctx.doc);
        }
      }
      let tagObj = void 0;
      const node = identity2.isNode(item) ? item : ctx.doc.createNode(item, { onTagObj: (o) => tagObj = o });
      tagObj ?? (tagObj = getTagObject(ctx.doc.schema.tags, node));
      const props = stringifyProps(node, tagObj, ctx);
      if (props.length > 0)
        ctx.indentAtStart = (ctx.indentAtStart ?? 0) + props.length + 1;
      const str = typeof tagObj.stringify === "function" ? tagObj.stringify(node, ctx, onComment, onChompKeep) : identity2.isScalar(node) ? stringifyString.stringifyString(node, ctx, onComment, onChompKeep) : node.toString(ctx, onComment, onChompKeep);
      if (!props)
        return str;
      return identity2.isScalar(node) || str[0] === "{" || str[0] === "[" ? `${props} ${str}` : `${props}
${ctx.indent}${str}`;
    }
    exports.createStringifyContext = createStringifyContext;
    exports.stringify = stringify;
  }
});

// node_modules/yaml/dist/stringify/stringifyPair.js
var require_stringifyPair = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyPair.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Scalar = require_Scalar();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyPair({ key, value }, ctx, onComment, onChompKeep) {
      const { allNullValues, doc, indent, indentStep, options: { commentString, indentSeq, simpleKeys } } = ctx;
      let keyComment = identity2.isNode(key) && key.comment || null;
      if (simpleKeys) {
        if (keyComment) {
          throw new Error("With simple keys, key nodes cannot have comments");
        }
        if (identity2.isCollection(key) || !identity2.isNode(key) && typeof key === "object") {
          const msg = "With simple keys, collection cannot be used as a key value";
          throw new Error(msg);
        }
      }
      let explicitKey = !simpleKeys && (!key || keyComment && value == null && !ctx.inFlow || identity2.isCollection(key) || (identity2.isScalar(key) ? key.type === Scalar.Scalar.BLOCK_FOLDED || key.type === Scalar.Scalar.BLOCK_LITERAL : typeof key === "object"));
      ctx = Object.assign({}, ctx, {
        allNullValues: false,
        implicitKey: !explicitKey && (simpleKeys || !allNullValues),
        indent: indent + indentStep
      });
      let keyCommentDone = false;
      let chompKeep = false;
      let str = stringify.stringify(key, ctx, () => keyCommentDone = true, () => chompKeep = true);
      if (!explicitKey && !ctx.inFlow && str.length > 1024) {
        if (simpleKeys)
          throw new Error("With simple keys, single line scalar must not span more than 1024 characters");
        explicitKey = true;
      }
      if (ctx.inFlow) {
        if (allNullValues || value == null) {
          if (keyCommentDone && onComment)
            onComment();
          return str === "" ? "?" : explicitKey ? `? ${str}` : str;
        }
      } else if (allNullValues && !simpleKeys || value == null && explicitKey) {
        str = `? ${str}`;
        if (keyComment && !keyCommentDone) {
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
        } else if (chompKeep && onChompKeep)
          onChompKeep();
        return str;
      }
      if (keyCommentDone)
        keyComment = null;
      if (explicitKey) {
        if (keyComment)
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
        str = `? ${str}
${indent}:`;
      } else {
        str = `${str}:`;
        if (keyComment)
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
      }
      let vsb, vcb, valueComment;
      if (identity2.isNode(value)) {
        vsb = !!value.spaceBefore;
        vcb = value.commentBefore;
        valueComment = value.comment;
      } else {
        vsb = false;
        vcb = null;
        valueComment = null;
        if (value && typeof value === "object")
          value = doc.createNode(value);
      }
      ctx.implicitKey = false;
      if (!explicitKey && !keyComment && identity2.isScalar(value))
        ctx.indentAtStart = str.length + 1;
      chompKeep = false;
      if (!indentSeq && indentStep.length >= 2 && !ctx.inFlow && !explicitKey && identity2.isSeq(value) && !value.flow && !value.tag && !value.anchor) {
        ctx.indent = ctx.indent.substring(2);
      }
      let valueCommentDone = false;
      const valueStr = stringify.stringify(value, ctx, () => valueCommentDone = true, () => chompKeep = true);
      let ws = " ";
      if (keyComment || vsb || vcb) {
        ws = vsb ? "\n" : "";
        if (vcb) {
          const cs = commentString(vcb);
          ws += `
${stringifyComment.indentComment(cs, ctx.indent)}`;
        }
        if (valueStr === "" && !ctx.inFlow) {
          if (ws === "\n" && valueComment)
            ws = "\n\n";
        } else {
          ws += `
${ctx.indent}`;
        }
      } else if (!explicitKey && identity2.isCollection(value)) {
        const vs0 = valueStr[0];
        const nl0 = valueStr.indexOf("\n");
        const hasNewline = nl0 !== -1;
        const flow = ctx.inFlow ?? value.flow ?? value.items.length === 0;
        if (hasNewline || !flow) {
          let hasPropsLine = false;
          if (hasNewline && (vs0 === "&" || vs0 === "!")) {
            let sp0 = valueStr.indexOf(" ");
            if (vs0 === "&" && sp0 !== -1 && sp0 < nl0 && valueStr[sp0 + 1] === "!") {
              sp0 = valueStr.indexOf(" ", sp0 + 1);
            }
            if (sp0 === -1 || nl0 < sp0)
              hasPropsLine = true;
          }
          if (!hasPropsLine)
            ws = `
${ctx.indent}`;
        }
      } else if (valueStr === "" || valueStr[0] === "\n") {
        ws = "";
      }
      str += ws + valueStr;
      if (ctx.inFlow) {
        if (valueCommentDone && onComment)
          onComment();
      } else if (valueComment && !valueCommentDone) {
        str += stringifyComment.lineComment(str, ctx.indent, commentString(valueComment));
      } else if (chompKeep && onChompKeep) {
        onChompKeep();
      }
      return str;
    }
    exports.stringifyPair = stringifyPair;
  }
});

// node_modules/yaml/dist/log.js
var require_log = __commonJS({
  "node_modules/yaml/dist/log.js"(exports) {
    "use strict";
    var node_process = __require("process");
    function debug2(logLevel, ...messages) {
      if (logLevel === "debug")
        console.log(...messages);
    }
    function warn(logLevel, warning2) {
      if (logLevel === "debug" || logLevel === "warn") {
        if (typeof node_process.emitWarning === "function")
          node_process.emitWarning(warning2);
        else
          console.warn(warning2);
      }
    }
    exports.debug = debug2;
    exports.warn = warn;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/merge.js
var require_merge = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/merge.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Scalar = require_Scalar();
    var MERGE_KEY = "<<";
    var merge = {
      identify: (value) => value === MERGE_KEY || typeof value === "symbol" && value.description === MERGE_KEY,
      default: "key",
      tag: "tag:yaml.org,2002:merge",
      test: /^<<$/,
      resolve: () => Object.assign(new Scalar.Scalar(Symbol(MERGE_KEY)), {
        addToJSMap: addMergeToJSMap
      }),
      stringify: () => MERGE_KEY
    };
    var isMergeKey = (ctx, key) => (merge.identify(key) || identity2.isScalar(key) && (!key.type || key.type === Scalar.Scalar.PLAIN) && merge.identify(key.value)) && ctx?.doc.schema.tags.some((tag) => tag.tag === merge.tag && tag.default);
    function addMergeToJSMap(ctx, map, value) {
      const source = resolveAliasValue(ctx, value);
      if (identity2.isSeq(source))
        for (const it of source.items)
          mergeValue(ctx, map, it);
      else if (Array.isArray(source))
        for (const it of source)
          mergeValue(ctx, map, it);
      else
        mergeValue(ctx, map, source);
    }
    function mergeValue(ctx, map, value) {
      const source = resolveAliasValue(ctx, value);
      if (!identity2.isMap(source))
        throw new Error("Merge sources must be maps or map aliases");
      const srcMap = source.toJSON(null, ctx, Map);
      for (const [key, value2] of srcMap) {
        if (map instanceof Map) {
          if (!map.has(key))
            map.set(key, value2);
        } else if (map instanceof Set) {
          map.add(key);
        } else if (!Object.prototype.hasOwnProperty.call(map, key)) {
          Object.defineProperty(map, key, {
            value: value2,
            writable: true,
            enumerable: true,
            configurable: true
          });
        }
      }
      return map;
    }
    function resolveAliasValue(ctx, value) {
      return ctx && identity2.isAlias(value) ? value.resolve(ctx.doc, ctx) : value;
    }
    exports.addMergeToJSMap = addMergeToJSMap;
    exports.isMergeKey = isMergeKey;
    exports.merge = merge;
  }
});

// node_modules/yaml/dist/nodes/addPairToJSMap.js
var require_addPairToJSMap = __commonJS({
  "node_modules/yaml/dist/nodes/addPairToJSMap.js"(exports) {
    "use strict";
    var log = require_log();
    var merge = require_merge();
    var stringify = require_stringify();
    var identity2 = require_identity();
    var toJS = require_toJS();
    function addPairToJSMap(ctx, map, { key, value }) {
      if (identity2.isNode(key) && key.addToJSMap)
        key.addToJSMap(ctx, map, value);
      else if (merge.isMergeKey(ctx, key))
        merge.addMergeToJSMap(ctx, map, value);
      else {
        const jsKey = toJS.toJS(key, "", ctx);
        if (map instanceof Map) {
          map.set(jsKey, toJS.toJS(value, jsKey, ctx));
        } else if (map instanceof Set) {
          map.add(jsKey);
        } else {
          const stringKey = stringifyKey(key, jsKey, ctx);
          const jsValue = toJS.toJS(value, stringKey, ctx);
          if (stringKey in map)
            Object.defineProperty(map, stringKey, {
              value: jsValue,
              writable: true,
              enumerable: true,
              configurable: true
            });
          else
            map[stringKey] = jsValue;
        }
      }
      return map;
    }
    function stringifyKey(key, jsKey, ctx) {
      if (jsKey === null)
        return "";
      if (typeof jsKey !== "object")
        return String(jsKey);
      if (identity2.isNode(key) && ctx?.doc) {
        const strCtx = stringify.createStringifyContext(ctx.doc, {});
        strCtx.anchors = /* @__PURE__ */ new Set();
        for (const node of ctx.anchors.keys())
          strCtx.anchors.add(node.anchor);
        strCtx.inFlow = true;
        strCtx.inStringifyKey = true;
        const strKey = key.toString(strCtx);
        if (!ctx.mapKeyWarned) {
          let jsonStr = JSON.stringify(strKey);
          if (jsonStr.length > 40)
            jsonStr = jsonStr.substring(0, 36) + '..."';
          log.warn(ctx.doc.options.logLevel, `Keys with collection values will be stringified due to JS Object restrictions: ${jsonStr}. Set mapAsMap: true to use object keys.`);
          ctx.mapKeyWarned = true;
        }
        return strKey;
      }
      return JSON.stringify(jsKey);
    }
    exports.addPairToJSMap = addPairToJSMap;
  }
});

// node_modules/yaml/dist/nodes/Pair.js
var require_Pair = __commonJS({
  "node_modules/yaml/dist/nodes/Pair.js"(exports) {
    "use strict";
    var createNode = require_createNode();
    var stringifyPair = require_stringifyPair();
    var addPairToJSMap = require_addPairToJSMap();
    var identity2 = require_identity();
    function createPair(key, value, ctx) {
      const k = createNode.createNode(key, void 0, ctx);
      const v = createNode.createNode(value, void 0, ctx);
      return new Pair(k, v);
    }
    var Pair = class _Pair {
      constructor(key, value = null) {
        Object.defineProperty(this, identity2.NODE_TYPE, { value: identity2.PAIR });
        this.key = key;
        this.value = value;
      }
      clone(schema) {
        let { key, value } = this;
        if (identity2.isNode(key))
          key = key.clone(schema);
        if (identity2.isNode(value))
          value = value.clone(schema);
        return new _Pair(key, value);
      }
      toJSON(_, ctx) {
        const pair = ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
        return addPairToJSMap.addPairToJSMap(ctx, pair, this);
      }
      toString(ctx, onComment, onChompKeep) {
        return ctx?.doc ? stringifyPair.stringifyPair(this, ctx, onComment, onChompKeep) : JSON.stringify(this);
      }
    };
    exports.Pair = Pair;
    exports.createPair = createPair;
  }
});

// node_modules/yaml/dist/stringify/stringifyCollection.js
var require_stringifyCollection = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyCollection.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyCollection(collection, ctx, options) {
      const flow = ctx.inFlow ?? collection.flow;
      const stringify2 = flow ? stringifyFlowCollection : stringifyBlockCollection;
      return stringify2(collection, ctx, options);
    }
    function stringifyBlockCollection({ comment, items }, ctx, { blockItemPrefix, flowChars, itemIndent, onChompKeep, onComment }) {
      const { indent, options: { commentString } } = ctx;
      const itemCtx = Object.assign({}, ctx, { indent: itemIndent, type: null });
      let chompKeep = false;
      const lines = [];
      for (let i = 0; i < items.length; ++i) {
        const item = items[i];
        let comment2 = null;
        if (identity2.isNode(item)) {
          if (!chompKeep && item.spaceBefore)
            lines.push("");
          addCommentBefore(ctx, lines, item.commentBefore, chompKeep);
          if (item.comment)
            comment2 = item.comment;
        } else if (identity2.isPair(item)) {
          const ik = identity2.isNode(item.key) ? item.key : null;
          if (ik) {
            if (!chompKeep && ik.spaceBefore)
              lines.push("");
            addCommentBefore(ctx, lines, ik.commentBefore, chompKeep);
          }
        }
        chompKeep = false;
        let str2 = stringify.stringify(item, itemCtx, () => comment2 = null, () => chompKeep = true);
        if (comment2)
          str2 += stringifyComment.lineComment(str2, itemIndent, commentString(comment2));
        if (chompKeep && comment2)
          chompKeep = false;
        lines.push(blockItemPrefix + str2);
      }
      let str;
      if (lines.length === 0) {
        str = flowChars.start + flowChars.end;
      } else {
        str = lines[0];
        for (let i = 1; i < lines.length; ++i) {
          const line = lines[i];
          str += line ? `
${indent}${line}` : "\n";
        }
      }
      if (comment) {
        str += "\n" + stringifyComment.indentComment(commentString(comment), indent);
        if (onComment)
          onComment();
      } else if (chompKeep && onChompKeep)
        onChompKeep();
      return str;
    }
    function stringifyFlowCollection({ items }, ctx, { flowChars, itemIndent }) {
      const { indent, indentStep, flowCollectionPadding: fcPadding, options: { commentString } } = ctx;
      itemIndent += indentStep;
      const itemCtx = Object.assign({}, ctx, {
        indent: itemIndent,
        inFlow: true,
        type: null
      });
      let reqNewline = false;
      let linesAtValue = 0;
      const lines = [];
      for (let i = 0; i < items.length; ++i) {
        const item = items[i];
        let comment = null;
        if (identity2.isNode(item)) {
          if (item.spaceBefore)
            lines.push("");
          addCommentBefore(ctx, lines, item.commentBefore, false);
          if (item.comment)
            comment = item.comment;
        } else if (identity2.isPair(item)) {
          const ik = identity2.isNode(item.key) ? item.key : null;
          if (ik) {
            if (ik.spaceBefore)
              lines.push("");
            addCommentBefore(ctx, lines, ik.commentBefore, false);
            if (ik.comment)
              reqNewline = true;
          }
          const iv = identity2.isNode(item.value) ? item.value : null;
          if (iv) {
            if (iv.comment)
              comment = iv.comment;
            if (iv.commentBefore)
              reqNewline = true;
          } else if (item.value == null && ik?.comment) {
            comment = ik.comment;
          }
        }
        if (comment)
          reqNewline = true;
        let str = stringify.stringify(item, itemCtx, () => comment = null);
        reqNewline || (reqNewline = lines.length > linesAtValue || str.includes("\n"));
        if (i < items.length - 1) {
          str += ",";
        } else if (ctx.options.trailingComma) {
          if (ctx.options.lineWidth > 0) {
            reqNewline || (reqNewline = lines.reduce((sum, line) => sum + line.length + 2, 2) + (str.length + 2) > ctx.options.lineWidth);
          }
          if (reqNewline) {
            str += ",";
          }
        }
        if (comment)
          str += stringifyComment.lineComment(str, itemIndent, commentString(comment));
        lines.push(str);
        linesAtValue = lines.length;
      }
      const { start, end } = flowChars;
      if (lines.length === 0) {
        return start + end;
      } else {
        if (!reqNewline) {
          const len = lines.reduce((sum, line) => sum + line.length + 2, 2);
          reqNewline = ctx.options.lineWidth > 0 && len > ctx.options.lineWidth;
        }
        if (reqNewline) {
          let str = start;
          for (const line of lines)
            str += line ? `
${indentStep}${indent}${line}` : "\n";
          return `${str}
${indent}${end}`;
        } else {
          return `${start}${fcPadding}${lines.join(" ")}${fcPadding}${end}`;
        }
      }
    }
    function addCommentBefore({ indent, options: { commentString } }, lines, comment, chompKeep) {
      if (comment && chompKeep)
        comment = comment.replace(/^\n+/, "");
      if (comment) {
        const ic = stringifyComment.indentComment(commentString(comment), indent);
        lines.push(ic.trimStart());
      }
    }
    exports.stringifyCollection = stringifyCollection;
  }
});

// node_modules/yaml/dist/nodes/YAMLMap.js
var require_YAMLMap = __commonJS({
  "node_modules/yaml/dist/nodes/YAMLMap.js"(exports) {
    "use strict";
    var stringifyCollection = require_stringifyCollection();
    var addPairToJSMap = require_addPairToJSMap();
    var Collection = require_Collection();
    var identity2 = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    function findPair(items, key) {
      const k = identity2.isScalar(key) ? key.value : key;
      for (const it of items) {
        if (identity2.isPair(it)) {
          if (it.key === key || it.key === k)
            return it;
          if (identity2.isScalar(it.key) && it.key.value === k)
            return it;
        }
      }
      return void 0;
    }
    var YAMLMap = class extends Collection.Collection {
      static get tagName() {
        return "tag:yaml.org,2002:map";
      }
      constructor(schema) {
        super(identity2.MAP, schema);
        this.items = [];
      }
      /**
       * A generic collection parsing method that can be extended
       * to other node classes that inherit from YAMLMap
       */
      static from(schema, obj, ctx) {
        const { keepUndefined, replacer } = ctx;
        const map = new this(schema);
        const add2 = (key, value) => {
          if (typeof replacer === "function")
            value = replacer.call(obj, key, value);
          else if (Array.isArray(replacer) && !replacer.includes(key))
            return;
          if (value !== void 0 || keepUndefined)
            map.items.push(Pair.createPair(key, value, ctx));
        };
        if (obj instanceof Map) {
          for (const [key, value] of obj)
            add2(key, value);
        } else if (obj && typeof obj === "object") {
          for (const key of Object.keys(obj))
            add2(key, obj[key]);
        }
        if (typeof schema.sortMapEntries === "function") {
          map.items.sort(schema.sortMapEntries);
        }
        return map;
      }
      /**
       * Adds a value to the collection.
       *
       * @param overwrite - If not set `true`, using a key that is already in the
       *   collection will throw. Otherwise, overwrites the previous value.
       */
      add(pair, overwrite) {
        let _pair;
        if (identity2.isPair(pair))
          _pair = pair;
        else if (!pair || typeof pair !== "object" || !("key" in pair)) {
          _pair = new Pair.Pair(pair, pair?.value);
        } else
          _pair = new Pair.Pair(pair.key, pair.value);
        const prev = findPair(this.items, _pair.key);
        const sortEntries = this.schema?.sortMapEntries;
        if (prev) {
          if (!overwrite)
            throw new Error(`Key ${_pair.key} already set`);
          if (identity2.isScalar(prev.value) && Scalar.isScalarValue(_pair.value))
            prev.value.value = _pair.value;
          else
            prev.value = _pair.value;
        } else if (sortEntries) {
          const i = this.items.findIndex((item) => sortEntries(_pair, item) < 0);
          if (i === -1)
            this.items.push(_pair);
          else
            this.items.splice(i, 0, _pair);
        } else {
          this.items.push(_pair);
        }
      }
      delete(key) {
        const it = findPair(this.items, key);
        if (!it)
          return false;
        const del = this.items.splice(this.items.indexOf(it), 1);
        return del.length > 0;
      }
      get(key, keepScalar) {
        const it = findPair(this.items, key);
        const node = it?.value;
        return (!keepScalar && identity2.isScalar(node) ? node.value : node) ?? void 0;
      }
      has(key) {
        return !!findPair(this.items, key);
      }
      set(key, value) {
        this.add(new Pair.Pair(key, value), true);
      }
      /**
       * @param ctx - Conversion context, originally set in Document#toJS()
       * @param {Class} Type - If set, forces the returned collection type
       * @returns Instance of Type, Map, or Object
       */
      toJSON(_, ctx, Type) {
        const map = Type ? new Type() : ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
        if (ctx?.onCreate)
          ctx.onCreate(map);
        for (const item of this.items)
          addPairToJSMap.addPairToJSMap(ctx, map, item);
        return map;
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        for (const item of this.items) {
          if (!identity2.isPair(item))
            throw new Error(`Map items must all be pairs; found ${JSON.stringify(item)} instead`);
        }
        if (!ctx.allNullValues && this.hasAllNullValues(false))
          ctx = Object.assign({}, ctx, { allNullValues: true });
        return stringifyCollection.stringifyCollection(this, ctx, {
          blockItemPrefix: "",
          flowChars: { start: "{", end: "}" },
          itemIndent: ctx.indent || "",
          onChompKeep,
          onComment
        });
      }
    };
    exports.YAMLMap = YAMLMap;
    exports.findPair = findPair;
  }
});

// node_modules/yaml/dist/schema/common/map.js
var require_map = __commonJS({
  "node_modules/yaml/dist/schema/common/map.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var YAMLMap = require_YAMLMap();
    var map = {
      collection: "map",
      default: true,
      nodeClass: YAMLMap.YAMLMap,
      tag: "tag:yaml.org,2002:map",
      resolve(map2, onError) {
        if (!identity2.isMap(map2))
          onError("Expected a mapping for this tag");
        return map2;
      },
      createNode: (schema, obj, ctx) => YAMLMap.YAMLMap.from(schema, obj, ctx)
    };
    exports.map = map;
  }
});

// node_modules/yaml/dist/nodes/YAMLSeq.js
var require_YAMLSeq = __commonJS({
  "node_modules/yaml/dist/nodes/YAMLSeq.js"(exports) {
    "use strict";
    var createNode = require_createNode();
    var stringifyCollection = require_stringifyCollection();
    var Collection = require_Collection();
    var identity2 = require_identity();
    var Scalar = require_Scalar();
    var toJS = require_toJS();
    var YAMLSeq = class extends Collection.Collection {
      static get tagName() {
        return "tag:yaml.org,2002:seq";
      }
      constructor(schema) {
        super(identity2.SEQ, schema);
        this.items = [];
      }
      add(value) {
        this.items.push(value);
      }
      /**
       * Removes a value from the collection.
       *
       * `key` must contain a representation of an integer for this to succeed.
       * It may be wrapped in a `Scalar`.
       *
       * @returns `true` if the item was found and removed.
       */
      delete(key) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          return false;
        const del = this.items.splice(idx, 1);
        return del.length > 0;
      }
      get(key, keepScalar) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          return void 0;
        const it = this.items[idx];
        return !keepScalar && identity2.isScalar(it) ? it.value : it;
      }
      /**
       * Checks if the collection includes a value with the key `key`.
       *
       * `key` must contain a representation of an integer for this to succeed.
       * It may be wrapped in a `Scalar`.
       */
      has(key) {
        const idx = asItemIndex(key);
        return typeof idx === "number" && idx < this.items.length;
      }
      /**
       * Sets a value in this collection. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       *
       * If `key` does not contain a representation of an integer, this will throw.
       * It may be wrapped in a `Scalar`.
       */
      set(key, value) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          throw new Error(`Expected a valid index, not ${key}.`);
        const prev = this.items[idx];
        if (identity2.isScalar(prev) && Scalar.isScalarValue(value))
          prev.value = value;
        else
          this.items[idx] = value;
      }
      toJSON(_, ctx) {
        const seq = [];
        if (ctx?.onCreate)
          ctx.onCreate(seq);
        let i = 0;
        for (const item of this.items)
          seq.push(toJS.toJS(item, String(i++), ctx));
        return seq;
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        return stringifyCollection.stringifyCollection(this, ctx, {
          blockItemPrefix: "- ",
          flowChars: { start: "[", end: "]" },
          itemIndent: (ctx.indent || "") + "  ",
          onChompKeep,
          onComment
        });
      }
      static from(schema, obj, ctx) {
        const { replacer } = ctx;
        const seq = new this(schema);
        if (obj && Symbol.iterator in Object(obj)) {
          let i = 0;
          for (let it of obj) {
            if (typeof replacer === "function") {
              const key = obj instanceof Set ? it : String(i++);
              it = replacer.call(obj, key, it);
            }
            seq.items.push(createNode.createNode(it, void 0, ctx));
          }
        }
        return seq;
      }
    };
    function asItemIndex(key) {
      let idx = identity2.isScalar(key) ? key.value : key;
      if (idx && typeof idx === "string")
        idx = Number(idx);
      return typeof idx === "number" && Number.isInteger(idx) && idx >= 0 ? idx : null;
    }
    exports.YAMLSeq = YAMLSeq;
  }
});

// node_modules/yaml/dist/schema/common/seq.js
var require_seq = __commonJS({
  "node_modules/yaml/dist/schema/common/seq.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var YAMLSeq = require_YAMLSeq();
    var seq = {
      collection: "seq",
      default: true,
      nodeClass: YAMLSeq.YAMLSeq,
      tag: "tag:yaml.org,2002:seq",
      resolve(seq2, onError) {
        if (!identity2.isSeq(seq2))
          onError("Expected a sequence for this tag");
        return seq2;
      },
      createNode: (schema, obj, ctx) => YAMLSeq.YAMLSeq.from(schema, obj, ctx)
    };
    exports.seq = seq;
  }
});

// node_modules/yaml/dist/schema/common/string.js
var require_string = __commonJS({
  "node_modules/yaml/dist/schema/common/string.js"(exports) {
    "use strict";
    var stringifyString = require_stringifyString();
    var string = {
      identify: (value) => typeof value === "string",
      default: true,
      tag: "tag:yaml.org,2002:str",
      resolve: (str) => str,
      stringify(item, ctx, onComment, onChompKeep) {
        ctx = Object.assign({ actualString: true }, ctx);
        return stringifyString.stringifyString(item, ctx, onComment, onChompKeep);
      }
    };
    exports.string = string;
  }
});

// node_modules/yaml/dist/schema/common/null.js
var require_null = __commonJS({
  "node_modules/yaml/dist/schema/common/null.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var nullTag = {
      identify: (value) => value == null,
      createNode: () => new Scalar.Scalar(null),
      default: true,
      tag: "tag:yaml.org,2002:null",
      test: /^(?:~|[Nn]ull|NULL)?$/,
      resolve: () => new Scalar.Scalar(null),
      stringify: ({ source }, ctx) => typeof source === "string" && nullTag.test.test(source) ? source : ctx.options.nullStr
    };
    exports.nullTag = nullTag;
  }
});

// node_modules/yaml/dist/schema/core/bool.js
var require_bool = __commonJS({
  "node_modules/yaml/dist/schema/core/bool.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var boolTag = {
      identify: (value) => typeof value === "boolean",
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/,
      resolve: (str) => new Scalar.Scalar(str[0] === "t" || str[0] === "T"),
      stringify({ source, value }, ctx) {
        if (source && boolTag.test.test(source)) {
          const sv = source[0] === "t" || source[0] === "T";
          if (value === sv)
            return source;
        }
        return value ? ctx.options.trueStr : ctx.options.falseStr;
      }
    };
    exports.boolTag = boolTag;
  }
});

// node_modules/yaml/dist/stringify/stringifyNumber.js
var require_stringifyNumber = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyNumber.js"(exports) {
    "use strict";
    function stringifyNumber({ format: format2, minFractionDigits, tag, value }) {
      if (typeof value === "bigint")
        return String(value);
      const num = typeof value === "number" ? value : Number(value);
      if (!isFinite(num))
        return isNaN(num) ? ".nan" : num < 0 ? "-.inf" : ".inf";
      let n = Object.is(value, -0) ? "-0" : JSON.stringify(value);
      if (!format2 && minFractionDigits && (!tag || tag === "tag:yaml.org,2002:float") && /^-?\d/.test(n) && !n.includes("e")) {
        let i = n.indexOf(".");
        if (i < 0) {
          i = n.length;
          n += ".";
        }
        let d = minFractionDigits - (n.length - i - 1);
        while (d-- > 0)
          n += "0";
      }
      return n;
    }
    exports.stringifyNumber = stringifyNumber;
  }
});

// node_modules/yaml/dist/schema/core/float.js
var require_float = __commonJS({
  "node_modules/yaml/dist/schema/core/float.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var stringifyNumber = require_stringifyNumber();
    var floatNaN = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
      resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
      stringify: stringifyNumber.stringifyNumber
    };
    var floatExp = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "EXP",
      test: /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/,
      resolve: (str) => parseFloat(str),
      stringify(node) {
        const num = Number(node.value);
        return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
      }
    };
    var float = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/,
      resolve(str) {
        const node = new Scalar.Scalar(parseFloat(str));
        const dot = str.indexOf(".");
        if (dot !== -1 && str[str.length - 1] === "0")
          node.minFractionDigits = str.length - dot - 1;
        return node;
      },
      stringify: stringifyNumber.stringifyNumber
    };
    exports.float = float;
    exports.floatExp = floatExp;
    exports.floatNaN = floatNaN;
  }
});

// node_modules/yaml/dist/schema/core/int.js
var require_int = __commonJS({
  "node_modules/yaml/dist/schema/core/int.js"(exports) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    var intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
    var intResolve = (str, offset, radix, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str.substring(offset), radix);
    function intStringify(node, radix, prefix) {
      const { value } = node;
      if (intIdentify(value) && value >= 0)
        return prefix + value.toString(radix);
      return stringifyNumber.stringifyNumber(node);
    }
    var intOct = {
      identify: (value) => intIdentify(value) && value >= 0,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "OCT",
      test: /^0o[0-7]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 8, opt),
      stringify: (node) => intStringify(node, 8, "0o")
    };
    var int = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      test: /^[-+]?[0-9]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
      stringify: stringifyNumber.stringifyNumber
    };
    var intHex = {
      identify: (value) => intIdentify(value) && value >= 0,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "HEX",
      test: /^0x[0-9a-fA-F]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
      stringify: (node) => intStringify(node, 16, "0x")
    };
    exports.int = int;
    exports.intHex = intHex;
    exports.intOct = intOct;
  }
});

// node_modules/yaml/dist/schema/core/schema.js
var require_schema = __commonJS({
  "node_modules/yaml/dist/schema/core/schema.js"(exports) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var bool = require_bool();
    var float = require_float();
    var int = require_int();
    var schema = [
      map.map,
      seq.seq,
      string.string,
      _null.nullTag,
      bool.boolTag,
      int.intOct,
      int.int,
      int.intHex,
      float.floatNaN,
      float.floatExp,
      float.float
    ];
    exports.schema = schema;
  }
});

// node_modules/yaml/dist/schema/json/schema.js
var require_schema2 = __commonJS({
  "node_modules/yaml/dist/schema/json/schema.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var map = require_map();
    var seq = require_seq();
    function intIdentify(value) {
      return typeof value === "bigint" || Number.isInteger(value);
    }
    var stringifyJSON = ({ value }) => JSON.stringify(value);
    var jsonScalars = [
      {
        identify: (value) => typeof value === "string",
        default: true,
        tag: "tag:yaml.org,2002:str",
        resolve: (str) => str,
        stringify: stringifyJSON
      },
      {
        identify: (value) => value == null,
        createNode: () => new Scalar.Scalar(null),
        default: true,
        tag: "tag:yaml.org,2002:null",
        test: /^null$/,
        resolve: () => null,
        stringify: stringifyJSON
      },
      {
        identify: (value) => typeof value === "boolean",
        default: true,
        tag: "tag:yaml.org,2002:bool",
        test: /^true$|^false$/,
        resolve: (str) => str === "true",
        stringify: stringifyJSON
      },
      {
        identify: intIdentify,
        default: true,
        tag: "tag:yaml.org,2002:int",
        test: /^-?(?:0|[1-9][0-9]*)$/,
        resolve: (str, _onError, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str, 10),
        stringify: ({ value }) => intIdentify(value) ? value.toString() : JSON.stringify(value)
      },
      {
        identify: (value) => typeof value === "number",
        default: true,
        tag: "tag:yaml.org,2002:float",
        test: /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$/,
        resolve: (str) => parseFloat(str),
        stringify: stringifyJSON
      }
    ];
    var jsonError = {
      default: true,
      tag: "",
      test: /^/,
      resolve(str, onError) {
        onError(`Unresolved plain scalar ${JSON.stringify(str)}`);
        return str;
      }
    };
    var schema = [map.map, seq.seq].concat(jsonScalars, jsonError);
    exports.schema = schema;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/binary.js
var require_binary = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/binary.js"(exports) {
    "use strict";
    var node_buffer = __require("buffer");
    var Scalar = require_Scalar();
    var stringifyString = require_stringifyString();
    var binary = {
      identify: (value) => value instanceof Uint8Array,
      // Buffer inherits from Uint8Array
      default: false,
      tag: "tag:yaml.org,2002:binary",
      /**
       * Returns a Buffer in node and an Uint8Array in browsers
       *
       * To use the resulting buffer as an image, you'll want to do something like:
       *
       *   const blob = new Blob([buffer], { type: 'image/jpeg' })
       *   document.querySelector('#photo').src = URL.createObjectURL(blob)
       */
      resolve(src, onError) {
        if (typeof node_buffer.Buffer === "function") {
          return node_buffer.Buffer.from(src, "base64");
        } else if (typeof atob === "function") {
          const str = atob(src.replace(/[\n\r]/g, ""));
          const buffer = new Uint8Array(str.length);
          for (let i = 0; i < str.length; ++i)
            buffer[i] = str.charCodeAt(i);
          return buffer;
        } else {
          onError("This environment does not support reading binary tags; either Buffer or atob is required");
          return src;
        }
      },
      stringify({ comment, type, value }, ctx, onComment, onChompKeep) {
        if (!value)
          return "";
        const buf = value;
        let str;
        if (typeof node_buffer.Buffer === "function") {
          str = buf instanceof node_buffer.Buffer ? buf.toString("base64") : node_buffer.Buffer.from(buf.buffer).toString("base64");
        } else if (typeof btoa === "function") {
          let s = "";
          for (let i = 0; i < buf.length; ++i)
            s += String.fromCharCode(buf[i]);
          str = btoa(s);
        } else {
          throw new Error("This environment does not support writing binary tags; either Buffer or btoa is required");
        }
        type ?? (type = Scalar.Scalar.BLOCK_LITERAL);
        if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
          const lineWidth = Math.max(ctx.options.lineWidth - ctx.indent.length, ctx.options.minContentWidth);
          const n = Math.ceil(str.length / lineWidth);
          const lines = new Array(n);
          for (let i = 0, o = 0; i < n; ++i, o += lineWidth) {
            lines[i] = str.substr(o, lineWidth);
          }
          str = lines.join(type === Scalar.Scalar.BLOCK_LITERAL ? "\n" : " ");
        }
        return stringifyString.stringifyString({ comment, type, value: str }, ctx, onComment, onChompKeep);
      }
    };
    exports.binary = binary;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/pairs.js
var require_pairs = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/pairs.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    var YAMLSeq = require_YAMLSeq();
    function resolvePairs(seq, onError) {
      if (identity2.isSeq(seq)) {
        for (let i = 0; i < seq.items.length; ++i) {
          let item = seq.items[i];
          if (identity2.isPair(item))
            continue;
          else if (identity2.isMap(item)) {
            if (item.items.length > 1)
              onError("Each pair must have its own sequence indicator");
            const pair = item.items[0] || new Pair.Pair(new Scalar.Scalar(null));
            if (item.commentBefore)
              pair.key.commentBefore = pair.key.commentBefore ? `${item.commentBefore}
${pair.key.commentBefore}` : item.commentBefore;
            if (item.comment) {
              const cn = pair.value ?? pair.key;
              cn.comment = cn.comment ? `${item.comment}
${cn.comment}` : item.comment;
            }
            item = pair;
          }
          seq.items[i] = identity2.isPair(item) ? item : new Pair.Pair(item);
        }
      } else
        onError("Expected a sequence for this tag");
      return seq;
    }
    function createPairs(schema, iterable, ctx) {
      const { replacer } = ctx;
      const pairs2 = new YAMLSeq.YAMLSeq(schema);
      pairs2.tag = "tag:yaml.org,2002:pairs";
      let i = 0;
      if (iterable && Symbol.iterator in Object(iterable))
        for (let it of iterable) {
          if (typeof replacer === "function")
            it = replacer.call(iterable, String(i++), it);
          let key, value;
          if (Array.isArray(it)) {
            if (it.length === 2) {
              key = it[0];
              value = it[1];
            } else
              throw new TypeError(`Expected [key, value] tuple: ${it}`);
          } else if (it && it instanceof Object) {
            const keys = Object.keys(it);
            if (keys.length === 1) {
              key = keys[0];
              value = it[key];
            } else {
              throw new TypeError(`Expected tuple with one key, not ${keys.length} keys`);
            }
          } else {
            key = it;
          }
          pairs2.items.push(Pair.createPair(key, value, ctx));
        }
      return pairs2;
    }
    var pairs = {
      collection: "seq",
      default: false,
      tag: "tag:yaml.org,2002:pairs",
      resolve: resolvePairs,
      createNode: createPairs
    };
    exports.createPairs = createPairs;
    exports.pairs = pairs;
    exports.resolvePairs = resolvePairs;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/omap.js
var require_omap = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/omap.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var toJS = require_toJS();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var pairs = require_pairs();
    var YAMLOMap = class _YAMLOMap extends YAMLSeq.YAMLSeq {
      constructor() {
        super();
        this.add = YAMLMap.YAMLMap.prototype.add.bind(this);
        this.delete = YAMLMap.YAMLMap.prototype.delete.bind(this);
        this.get = YAMLMap.YAMLMap.prototype.get.bind(this);
        this.has = YAMLMap.YAMLMap.prototype.has.bind(this);
        this.set = YAMLMap.YAMLMap.prototype.set.bind(this);
        this.tag = _YAMLOMap.tag;
      }
      /**
       * If `ctx` is given, the return type is actually `Map<unknown, unknown>`,
       * but TypeScript won't allow widening the signature of a child method.
       */
      toJSON(_, ctx) {
        if (!ctx)
          return super.toJSON(_);
        const map = /* @__PURE__ */ new Map();
        if (ctx?.onCreate)
          ctx.onCreate(map);
        for (const pair of this.items) {
          let key, value;
          if (identity2.isPair(pair)) {
            key = toJS.toJS(pair.key, "", ctx);
            value = toJS.toJS(pair.value, key, ctx);
          } else {
            key = toJS.toJS(pair, "", ctx);
          }
          if (map.has(key))
            throw new Error("Ordered maps must not include duplicate keys");
          map.set(key, value);
        }
        return map;
      }
      static from(schema, iterable, ctx) {
        const pairs$1 = pairs.createPairs(schema, iterable, ctx);
        const omap2 = new this();
        omap2.items = pairs$1.items;
        return omap2;
      }
    };
    YAMLOMap.tag = "tag:yaml.org,2002:omap";
    var omap = {
      collection: "seq",
      identify: (value) => value instanceof Map,
      nodeClass: YAMLOMap,
      default: false,
      tag: "tag:yaml.org,2002:omap",
      resolve(seq, onError) {
        const pairs$1 = pairs.resolvePairs(seq, onError);
        const seenKeys = [];
        for (const { key } of pairs$1.items) {
          if (identity2.isScalar(key)) {
            if (seenKeys.includes(key.value)) {
              onError(`Ordered maps must not include duplicate keys: ${key.value}`);
            } else {
              seenKeys.push(key.value);
            }
          }
        }
        return Object.assign(new YAMLOMap(), pairs$1);
      },
      createNode: (schema, iterable, ctx) => YAMLOMap.from(schema, iterable, ctx)
    };
    exports.YAMLOMap = YAMLOMap;
    exports.omap = omap;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/bool.js
var require_bool2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/bool.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    function boolStringify({ value, source }, ctx) {
      const boolObj = value ? trueTag : falseTag;
      if (source && boolObj.test.test(source))
        return source;
      return value ? ctx.options.trueStr : ctx.options.falseStr;
    }
    var trueTag = {
      identify: (value) => value === true,
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/,
      resolve: () => new Scalar.Scalar(true),
      stringify: boolStringify
    };
    var falseTag = {
      identify: (value) => value === false,
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
      resolve: () => new Scalar.Scalar(false),
      stringify: boolStringify
    };
    exports.falseTag = falseTag;
    exports.trueTag = trueTag;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/float.js
var require_float2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/float.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var stringifyNumber = require_stringifyNumber();
    var floatNaN = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
      resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
      stringify: stringifyNumber.stringifyNumber
    };
    var floatExp = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "EXP",
      test: /^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/,
      resolve: (str) => parseFloat(str.replace(/_/g, "")),
      stringify(node) {
        const num = Number(node.value);
        return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
      }
    };
    var float = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*$/,
      resolve(str) {
        const node = new Scalar.Scalar(parseFloat(str.replace(/_/g, "")));
        const dot = str.indexOf(".");
        if (dot !== -1) {
          const f = str.substring(dot + 1).replace(/_/g, "");
          if (f[f.length - 1] === "0")
            node.minFractionDigits = f.length;
        }
        return node;
      },
      stringify: stringifyNumber.stringifyNumber
    };
    exports.float = float;
    exports.floatExp = floatExp;
    exports.floatNaN = floatNaN;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/int.js
var require_int2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/int.js"(exports) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    var intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
    function intResolve(str, offset, radix, { intAsBigInt }) {
      const sign = str[0];
      if (sign === "-" || sign === "+")
        offset += 1;
      str = str.substring(offset).replace(/_/g, "");
      if (intAsBigInt) {
        switch (radix) {
          case 2:
            str = `0b${str}`;
            break;
          case 8:
            str = `0o${str}`;
            break;
          case 16:
            str = `0x${str}`;
            break;
        }
        const n2 = BigInt(str);
        return sign === "-" ? BigInt(-1) * n2 : n2;
      }
      const n = parseInt(str, radix);
      return sign === "-" ? -1 * n : n;
    }
    function intStringify(node, radix, prefix) {
      const { value } = node;
      if (intIdentify(value)) {
        const str = value.toString(radix);
        return value < 0 ? "-" + prefix + str.substr(1) : prefix + str;
      }
      return stringifyNumber.stringifyNumber(node);
    }
    var intBin = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "BIN",
      test: /^[-+]?0b[0-1_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 2, opt),
      stringify: (node) => intStringify(node, 2, "0b")
    };
    var intOct = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "OCT",
      test: /^[-+]?0[0-7_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 1, 8, opt),
      stringify: (node) => intStringify(node, 8, "0")
    };
    var int = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      test: /^[-+]?[0-9][0-9_]*$/,
      resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
      stringify: stringifyNumber.stringifyNumber
    };
    var intHex = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "HEX",
      test: /^[-+]?0x[0-9a-fA-F_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
      stringify: (node) => intStringify(node, 16, "0x")
    };
    exports.int = int;
    exports.intBin = intBin;
    exports.intHex = intHex;
    exports.intOct = intOct;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/set.js
var require_set = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/set.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var YAMLSet = class _YAMLSet extends YAMLMap.YAMLMap {
      constructor(schema) {
        super(schema);
        this.tag = _YAMLSet.tag;
      }
      add(key) {
        let pair;
        if (identity2.isPair(key))
          pair = key;
        else if (key && typeof key === "object" && "key" in key && "value" in key && key.value === null)
          pair = new Pair.Pair(key.key, null);
        else
          pair = new Pair.Pair(key, null);
        const prev = YAMLMap.findPair(this.items, pair.key);
        if (!prev)
          this.items.push(pair);
      }
      /**
       * If `keepPair` is `true`, returns the Pair matching `key`.
       * Otherwise, returns the value of that Pair's key.
       */
      get(key, keepPair) {
        const pair = YAMLMap.findPair(this.items, key);
        return !keepPair && identity2.isPair(pair) ? identity2.isScalar(pair.key) ? pair.key.value : pair.key : pair;
      }
      set(key, value) {
        if (typeof value !== "boolean")
          throw new Error(`Expected boolean value for set(key, value) in a YAML set, not ${typeof value}`);
        const prev = YAMLMap.findPair(this.items, key);
        if (prev && !value) {
          this.items.splice(this.items.indexOf(prev), 1);
        } else if (!prev && value) {
          this.items.push(new Pair.Pair(key));
        }
      }
      toJSON(_, ctx) {
        return super.toJSON(_, ctx, Set);
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        if (this.hasAllNullValues(true))
          return super.toString(Object.assign({}, ctx, { allNullValues: true }), onComment, onChompKeep);
        else
          throw new Error("Set items must all have null values");
      }
      static from(schema, iterable, ctx) {
        const { replacer } = ctx;
        const set2 = new this(schema);
        if (iterable && Symbol.iterator in Object(iterable))
          for (let value of iterable) {
            if (typeof replacer === "function")
              value = replacer.call(iterable, value, value);
            set2.items.push(Pair.createPair(value, null, ctx));
          }
        return set2;
      }
    };
    YAMLSet.tag = "tag:yaml.org,2002:set";
    var set = {
      collection: "map",
      identify: (value) => value instanceof Set,
      nodeClass: YAMLSet,
      default: false,
      tag: "tag:yaml.org,2002:set",
      createNode: (schema, iterable, ctx) => YAMLSet.from(schema, iterable, ctx),
      resolve(map, onError) {
        if (identity2.isMap(map)) {
          if (map.hasAllNullValues(true))
            return Object.assign(new YAMLSet(), map);
          else
            onError("Set items must all have null values");
        } else
          onError("Expected a mapping for this tag");
        return map;
      }
    };
    exports.YAMLSet = YAMLSet;
    exports.set = set;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/timestamp.js
var require_timestamp = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/timestamp.js"(exports) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    function parseSexagesimal(str, asBigInt) {
      const sign = str[0];
      const parts = sign === "-" || sign === "+" ? str.substring(1) : str;
      const num = (n) => asBigInt ? BigInt(n) : Number(n);
      const res = parts.replace(/_/g, "").split(":").reduce((res2, p) => res2 * num(60) + num(p), num(0));
      return sign === "-" ? num(-1) * res : res;
    }
    function stringifySexagesimal(node) {
      let { value } = node;
      let num = (n) => n;
      if (typeof value === "bigint")
        num = (n) => BigInt(n);
      else if (isNaN(value) || !isFinite(value))
        return stringifyNumber.stringifyNumber(node);
      let sign = "";
      if (value < 0) {
        sign = "-";
        value *= num(-1);
      }
      const _60 = num(60);
      const parts = [value % _60];
      if (value < 60) {
        parts.unshift(0);
      } else {
        value = (value - parts[0]) / _60;
        parts.unshift(value % _60);
        if (value >= 60) {
          value = (value - parts[0]) / _60;
          parts.unshift(value);
        }
      }
      return sign + parts.map((n) => String(n).padStart(2, "0")).join(":").replace(/000000\d*$/, "");
    }
    var intTime = {
      identify: (value) => typeof value === "bigint" || Number.isInteger(value),
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "TIME",
      test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+$/,
      resolve: (str, _onError, { intAsBigInt }) => parseSexagesimal(str, intAsBigInt),
      stringify: stringifySexagesimal
    };
    var floatTime = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "TIME",
      test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/,
      resolve: (str) => parseSexagesimal(str, false),
      stringify: stringifySexagesimal
    };
    var timestamp = {
      identify: (value) => value instanceof Date,
      default: true,
      tag: "tag:yaml.org,2002:timestamp",
      // If the time zone is omitted, the timestamp is assumed to be specified in UTC. The time part
      // may be omitted altogether, resulting in a date format. In such a case, the time part is
      // assumed to be 00:00:00Z (start of day, UTC).
      test: RegExp("^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:t|T|[ \\t]+)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2}(\\.[0-9]+)?)(?:[ \\t]*(Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?$"),
      resolve(str) {
        const match = str.match(timestamp.test);
        if (!match)
          throw new Error("!!timestamp expects a date, starting with yyyy-mm-dd");
        const [, year, month, day, hour, minute, second] = match.map(Number);
        const millisec = match[7] ? Number((match[7] + "00").substr(1, 3)) : 0;
        let date = Date.UTC(year, month - 1, day, hour || 0, minute || 0, second || 0, millisec);
        const tz = match[8];
        if (tz && tz !== "Z") {
          let d = parseSexagesimal(tz, false);
          if (Math.abs(d) < 30)
            d *= 60;
          date -= 6e4 * d;
        }
        return new Date(date);
      },
      stringify: ({ value }) => value?.toISOString().replace(/(T00:00:00)?\.000Z$/, "") ?? ""
    };
    exports.floatTime = floatTime;
    exports.intTime = intTime;
    exports.timestamp = timestamp;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/schema.js
var require_schema3 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/schema.js"(exports) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var binary = require_binary();
    var bool = require_bool2();
    var float = require_float2();
    var int = require_int2();
    var merge = require_merge();
    var omap = require_omap();
    var pairs = require_pairs();
    var set = require_set();
    var timestamp = require_timestamp();
    var schema = [
      map.map,
      seq.seq,
      string.string,
      _null.nullTag,
      bool.trueTag,
      bool.falseTag,
      int.intBin,
      int.intOct,
      int.int,
      int.intHex,
      float.floatNaN,
      float.floatExp,
      float.float,
      binary.binary,
      merge.merge,
      omap.omap,
      pairs.pairs,
      set.set,
      timestamp.intTime,
      timestamp.floatTime,
      timestamp.timestamp
    ];
    exports.schema = schema;
  }
});

// node_modules/yaml/dist/schema/tags.js
var require_tags = __commonJS({
  "node_modules/yaml/dist/schema/tags.js"(exports) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var bool = require_bool();
    var float = require_float();
    var int = require_int();
    var schema = require_schema();
    var schema$1 = require_schema2();
    var binary = require_binary();
    var merge = require_merge();
    var omap = require_omap();
    var pairs = require_pairs();
    var schema$2 = require_schema3();
    var set = require_set();
    var timestamp = require_timestamp();
    var schemas = /* @__PURE__ */ new Map([
      ["core", schema.schema],
      ["failsafe", [map.map, seq.seq, string.string]],
      ["json", schema$1.schema],
      ["yaml11", schema$2.schema],
      ["yaml-1.1", schema$2.schema]
    ]);
    var tagsByName = {
      binary: binary.binary,
      bool: bool.boolTag,
      float: float.float,
      floatExp: float.floatExp,
      floatNaN: float.floatNaN,
      floatTime: timestamp.floatTime,
      int: int.int,
      intHex: int.intHex,
      intOct: int.intOct,
      intTime: timestamp.intTime,
      map: map.map,
      merge: merge.merge,
      null: _null.nullTag,
      omap: omap.omap,
      pairs: pairs.pairs,
      seq: seq.seq,
      set: set.set,
      timestamp: timestamp.timestamp
    };
    var coreKnownTags = {
      "tag:yaml.org,2002:binary": binary.binary,
      "tag:yaml.org,2002:merge": merge.merge,
      "tag:yaml.org,2002:omap": omap.omap,
      "tag:yaml.org,2002:pairs": pairs.pairs,
      "tag:yaml.org,2002:set": set.set,
      "tag:yaml.org,2002:timestamp": timestamp.timestamp
    };
    function getTags(customTags, schemaName, addMergeTag) {
      const schemaTags = schemas.get(schemaName);
      if (schemaTags && !customTags) {
        return addMergeTag && !schemaTags.includes(merge.merge) ? schemaTags.concat(merge.merge) : schemaTags.slice();
      }
      let tags = schemaTags;
      if (!tags) {
        if (Array.isArray(customTags))
          tags = [];
        else {
          const keys = Array.from(schemas.keys()).filter((key) => key !== "yaml11").map((key) => JSON.stringify(key)).join(", ");
          throw new Error(`Unknown schema "${schemaName}"; use one of ${keys} or define customTags array`);
        }
      }
      if (Array.isArray(customTags)) {
        for (const tag of customTags)
          tags = tags.concat(tag);
      } else if (typeof customTags === "function") {
        tags = customTags(tags.slice());
      }
      if (addMergeTag)
        tags = tags.concat(merge.merge);
      return tags.reduce((tags2, tag) => {
        const tagObj = typeof tag === "string" ? tagsByName[tag] : tag;
        if (!tagObj) {
          const tagName = JSON.stringify(tag);
          const keys = Object.keys(tagsByName).map((key) => JSON.stringify(key)).join(", ");
          throw new Error(`Unknown custom tag ${tagName}; use one of ${keys}`);
        }
        if (!tags2.includes(tagObj))
          tags2.push(tagObj);
        return tags2;
      }, []);
    }
    exports.coreKnownTags = coreKnownTags;
    exports.getTags = getTags;
  }
});

// node_modules/yaml/dist/schema/Schema.js
var require_Schema = __commonJS({
  "node_modules/yaml/dist/schema/Schema.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var map = require_map();
    var seq = require_seq();
    var string = require_string();
    var tags = require_tags();
    var sortMapEntriesByKey = (a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    var Schema = class _Schema {
      constructor({ compat, customTags, merge, resolveKnownTags, schema, sortMapEntries, toStringDefaults }) {
        this.compat = Array.isArray(compat) ? tags.getTags(compat, "compat") : compat ? tags.getTags(null, compat) : null;
        this.name = typeof schema === "string" && schema || "core";
        this.knownTags = resolveKnownTags ? tags.coreKnownTags : {};
        this.tags = tags.getTags(customTags, this.name, merge);
        this.toStringOptions = toStringDefaults ?? null;
        Object.defineProperty(this, identity2.MAP, { value: map.map });
        Object.defineProperty(this, identity2.SCALAR, { value: string.string });
        Object.defineProperty(this, identity2.SEQ, { value: seq.seq });
        this.sortMapEntries = typeof sortMapEntries === "function" ? sortMapEntries : sortMapEntries === true ? sortMapEntriesByKey : null;
      }
      clone() {
        const copy = Object.create(_Schema.prototype, Object.getOwnPropertyDescriptors(this));
        copy.tags = this.tags.slice();
        return copy;
      }
    };
    exports.Schema = Schema;
  }
});

// node_modules/yaml/dist/stringify/stringifyDocument.js
var require_stringifyDocument = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyDocument.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyDocument(doc, options) {
      const lines = [];
      let hasDirectives = options.directives === true;
      if (options.directives !== false && doc.directives) {
        const dir = doc.directives.toString(doc);
        if (dir) {
          lines.push(dir);
          hasDirectives = true;
        } else if (doc.directives.docStart)
          hasDirectives = true;
      }
      if (hasDirectives)
        lines.push("---");
      const ctx = stringify.createStringifyContext(doc, options);
      const { commentString } = ctx.options;
      if (doc.commentBefore) {
        if (lines.length !== 1)
          lines.unshift("");
        const cs = commentString(doc.commentBefore);
        lines.unshift(stringifyComment.indentComment(cs, ""));
      }
      let chompKeep = false;
      let contentComment = null;
      if (doc.contents) {
        if (identity2.isNode(doc.contents)) {
          if (doc.contents.spaceBefore && hasDirectives)
            lines.push("");
          if (doc.contents.commentBefore) {
            const cs = commentString(doc.contents.commentBefore);
            lines.push(stringifyComment.indentComment(cs, ""));
          }
          ctx.forceBlockIndent = !!doc.comment;
          contentComment = doc.contents.comment;
        }
        const onChompKeep = contentComment ? void 0 : () => chompKeep = true;
        let body = stringify.stringify(doc.contents, ctx, () => contentComment = null, onChompKeep);
        if (contentComment)
          body += stringifyComment.lineComment(body, "", commentString(contentComment));
        if ((body[0] === "|" || body[0] === ">") && lines[lines.length - 1] === "---") {
          lines[lines.length - 1] = `--- ${body}`;
        } else
          lines.push(body);
      } else {
        lines.push(stringify.stringify(doc.contents, ctx));
      }
      if (doc.directives?.docEnd) {
        if (doc.comment) {
          const cs = commentString(doc.comment);
          if (cs.includes("\n")) {
            lines.push("...");
            lines.push(stringifyComment.indentComment(cs, ""));
          } else {
            lines.push(`... ${cs}`);
          }
        } else {
          lines.push("...");
        }
      } else {
        let dc = doc.comment;
        if (dc && chompKeep)
          dc = dc.replace(/^\n+/, "");
        if (dc) {
          if ((!chompKeep || contentComment) && lines[lines.length - 1] !== "")
            lines.push("");
          lines.push(stringifyComment.indentComment(commentString(dc), ""));
        }
      }
      return lines.join("\n") + "\n";
    }
    exports.stringifyDocument = stringifyDocument;
  }
});

// node_modules/yaml/dist/doc/Document.js
var require_Document = __commonJS({
  "node_modules/yaml/dist/doc/Document.js"(exports) {
    "use strict";
    var Alias = require_Alias();
    var Collection = require_Collection();
    var identity2 = require_identity();
    var Pair = require_Pair();
    var toJS = require_toJS();
    var Schema = require_Schema();
    var stringifyDocument = require_stringifyDocument();
    var anchors = require_anchors();
    var applyReviver = require_applyReviver();
    var createNode = require_createNode();
    var directives = require_directives();
    var Document = class _Document {
      constructor(value, replacer, options) {
        this.commentBefore = null;
        this.comment = null;
        this.errors = [];
        this.warnings = [];
        Object.defineProperty(this, identity2.NODE_TYPE, { value: identity2.DOC });
        let _replacer = null;
        if (typeof replacer === "function" || Array.isArray(replacer)) {
          _replacer = replacer;
        } else if (options === void 0 && replacer) {
          options = replacer;
          replacer = void 0;
        }
        const opt = Object.assign({
          intAsBigInt: false,
          keepSourceTokens: false,
          logLevel: "warn",
          prettyErrors: true,
          strict: true,
          stringKeys: false,
          uniqueKeys: true,
          version: "1.2"
        }, options);
        this.options = opt;
        let { version } = opt;
        if (options?._directives) {
          this.directives = options._directives.atDocument();
          if (this.directives.yaml.explicit)
            version = this.directives.yaml.version;
        } else
          this.directives = new directives.Directives({ version });
        this.setSchema(version, options);
        this.contents = value === void 0 ? null : this.createNode(value, _replacer, options);
      }
      /**
       * Create a deep copy of this Document and its contents.
       *
       * Custom Node values that inherit from `Object` still refer to their original instances.
       */
      clone() {
        const copy = Object.create(_Document.prototype, {
          [identity2.NODE_TYPE]: { value: identity2.DOC }
        });
        copy.commentBefore = this.commentBefore;
        copy.comment = this.comment;
        copy.errors = this.errors.slice();
        copy.warnings = this.warnings.slice();
        copy.options = Object.assign({}, this.options);
        if (this.directives)
          copy.directives = this.directives.clone();
        copy.schema = this.schema.clone();
        copy.contents = identity2.isNode(this.contents) ? this.contents.clone(copy.schema) : this.contents;
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /** Adds a value to the document. */
      add(value) {
        if (assertCollection(this.contents))
          this.contents.add(value);
      }
      /** Adds a value to the document. */
      addIn(path, value) {
        if (assertCollection(this.contents))
          this.contents.addIn(path, value);
      }
      /**
       * Create a new `Alias` node, ensuring that the target `node` has the required anchor.
       *
       * If `node` already has an anchor, `name` is ignored.
       * Otherwise, the `node.anchor` value will be set to `name`,
       * or if an anchor with that name is already present in the document,
       * `name` will be used as a prefix for a new unique anchor.
       * If `name` is undefined, the generated anchor will use 'a' as a prefix.
       */
      createAlias(node, name) {
        if (!node.anchor) {
          const prev = anchors.anchorNames(this);
          node.anchor = // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing
          !name || prev.has(name) ? anchors.findNewAnchor(name || "a", prev) : name;
        }
        return new Alias.Alias(node.anchor);
      }
      createNode(value, replacer, options) {
        let _replacer = void 0;
        if (typeof replacer === "function") {
          value = replacer.call({ "": value }, "", value);
          _replacer = replacer;
        } else if (Array.isArray(replacer)) {
          const keyToStr = (v) => typeof v === "number" || v instanceof String || v instanceof Number;
          const asStr = replacer.filter(keyToStr).map(String);
          if (asStr.length > 0)
            replacer = replacer.concat(asStr);
          _replacer = replacer;
        } else if (options === void 0 && replacer) {
          options = replacer;
          replacer = void 0;
        }
        const { aliasDuplicateObjects, anchorPrefix, flow, keepUndefined, onTagObj, tag } = options ?? {};
        const { onAnchor, setAnchors, sourceObjects } = anchors.createNodeAnchors(
          this,
          // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing
          anchorPrefix || "a"
        );
        const ctx = {
          aliasDuplicateObjects: aliasDuplicateObjects ?? true,
          keepUndefined: keepUndefined ?? false,
          onAnchor,
          onTagObj,
          replacer: _replacer,
          schema: this.schema,
          sourceObjects
        };
        const node = createNode.createNode(value, tag, ctx);
        if (flow && identity2.isCollection(node))
          node.flow = true;
        setAnchors();
        return node;
      }
      /**
       * Convert a key and a value into a `Pair` using the current schema,
       * recursively wrapping all values as `Scalar` or `Collection` nodes.
       */
      createPair(key, value, options = {}) {
        const k = this.createNode(key, null, options);
        const v = this.createNode(value, null, options);
        return new Pair.Pair(k, v);
      }
      /**
       * Removes a value from the document.
       * @returns `true` if the item was found and removed.
       */
      delete(key) {
        return assertCollection(this.contents) ? this.contents.delete(key) : false;
      }
      /**
       * Removes a value from the document.
       * @returns `true` if the item was found and removed.
       */
      deleteIn(path) {
        if (Collection.isEmptyPath(path)) {
          if (this.contents == null)
            return false;
          this.contents = null;
          return true;
        }
        return assertCollection(this.contents) ? this.contents.deleteIn(path) : false;
      }
      /**
       * Returns item at `key`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      get(key, keepScalar) {
        return identity2.isCollection(this.contents) ? this.contents.get(key, keepScalar) : void 0;
      }
      /**
       * Returns item at `path`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      getIn(path, keepScalar) {
        if (Collection.isEmptyPath(path))
          return !keepScalar && identity2.isScalar(this.contents) ? this.contents.value : this.contents;
        return identity2.isCollection(this.contents) ? this.contents.getIn(path, keepScalar) : void 0;
      }
      /**
       * Checks if the document includes a value with the key `key`.
       */
      has(key) {
        return identity2.isCollection(this.contents) ? this.contents.has(key) : false;
      }
      /**
       * Checks if the document includes a value at `path`.
       */
      hasIn(path) {
        if (Collection.isEmptyPath(path))
          return this.contents !== void 0;
        return identity2.isCollection(this.contents) ? this.contents.hasIn(path) : false;
      }
      /**
       * Sets a value in this document. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      set(key, value) {
        if (this.contents == null) {
          this.contents = Collection.collectionFromPath(this.schema, [key], value);
        } else if (assertCollection(this.contents)) {
          this.contents.set(key, value);
        }
      }
      /**
       * Sets a value in this document. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      setIn(path, value) {
        if (Collection.isEmptyPath(path)) {
          this.contents = value;
        } else if (this.contents == null) {
          this.contents = Collection.collectionFromPath(this.schema, Array.from(path), value);
        } else if (assertCollection(this.contents)) {
          this.contents.setIn(path, value);
        }
      }
      /**
       * Change the YAML version and schema used by the document.
       * A `null` version disables support for directives, explicit tags, anchors, and aliases.
       * It also requires the `schema` option to be given as a `Schema` instance value.
       *
       * Overrides all previously set schema options.
       */
      setSchema(version, options = {}) {
        if (typeof version === "number")
          version = String(version);
        let opt;
        switch (version) {
          case "1.1":
            if (this.directives)
              this.directives.yaml.version = "1.1";
            else
              this.directives = new directives.Directives({ version: "1.1" });
            opt = { resolveKnownTags: false, schema: "yaml-1.1" };
            break;
          case "1.2":
          case "next":
            if (this.directives)
              this.directives.yaml.version = version;
            else
              this.directives = new directives.Directives({ version });
            opt = { resolveKnownTags: true, schema: "core" };
            break;
          case null:
            if (this.directives)
              delete this.directives;
            opt = null;
            break;
          default: {
            const sv = JSON.stringify(version);
            throw new Error(`Expected '1.1', '1.2' or null as first argument, but found: ${sv}`);
          }
        }
        if (options.schema instanceof Object)
          this.schema = options.schema;
        else if (opt)
          this.schema = new Schema.Schema(Object.assign(opt, options));
        else
          throw new Error(`With a null YAML version, the { schema: Schema } option is required`);
      }
      // json & jsonArg are only used from toJSON()
      toJS({ json, jsonArg, mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
        const ctx = {
          anchors: /* @__PURE__ */ new Map(),
          doc: this,
          keep: !json,
          mapAsMap: mapAsMap === true,
          mapKeyWarned: false,
          maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
        };
        const res = toJS.toJS(this.contents, jsonArg ?? "", ctx);
        if (typeof onAnchor === "function")
          for (const { count, res: res2 } of ctx.anchors.values())
            onAnchor(res2, count);
        return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
      }
      /**
       * A JSON representation of the document `contents`.
       *
       * @param jsonArg Used by `JSON.stringify` to indicate the array index or
       *   property name.
       */
      toJSON(jsonArg, onAnchor) {
        return this.toJS({ json: true, jsonArg, mapAsMap: false, onAnchor });
      }
      /** A YAML representation of the document. */
      toString(options = {}) {
        if (this.errors.length > 0)
          throw new Error("Document with errors cannot be stringified");
        if ("indent" in options && (!Number.isInteger(options.indent) || Number(options.indent) <= 0)) {
          const s = JSON.stringify(options.indent);
          throw new Error(`"indent" option must be a positive integer, not ${s}`);
        }
        return stringifyDocument.stringifyDocument(this, options);
      }
    };
    function assertCollection(contents) {
      if (identity2.isCollection(contents))
        return true;
      throw new Error("Expected a YAML collection as document contents");
    }
    exports.Document = Document;
  }
});

// node_modules/yaml/dist/errors.js
var require_errors = __commonJS({
  "node_modules/yaml/dist/errors.js"(exports) {
    "use strict";
    var YAMLError = class extends Error {
      constructor(name, pos, code2, message) {
        super();
        this.name = name;
        this.code = code2;
        this.message = message;
        this.pos = pos;
      }
    };
    var YAMLParseError = class extends YAMLError {
      constructor(pos, code2, message) {
        super("YAMLParseError", pos, code2, message);
      }
    };
    var YAMLWarning = class extends YAMLError {
      constructor(pos, code2, message) {
        super("YAMLWarning", pos, code2, message);
      }
    };
    var prettifyError = (src, lc) => (error2) => {
      if (error2.pos[0] === -1)
        return;
      error2.linePos = error2.pos.map((pos) => lc.linePos(pos));
      const { line, col } = error2.linePos[0];
      error2.message += ` at line ${line}, column ${col}`;
      let ci = col - 1;
      let lineStr = src.substring(lc.lineStarts[line - 1], lc.lineStarts[line]).replace(/[\n\r]+$/, "");
      if (ci >= 60 && lineStr.length > 80) {
        const trimStart = Math.min(ci - 39, lineStr.length - 79);
        lineStr = "…" + lineStr.substring(trimStart);
        ci -= trimStart - 1;
      }
      if (lineStr.length > 80)
        lineStr = lineStr.substring(0, 79) + "…";
      if (line > 1 && /^ *$/.test(lineStr.substring(0, ci))) {
        let prev = src.substring(lc.lineStarts[line - 2], lc.lineStarts[line - 1]);
        if (prev.length > 80)
          prev = prev.substring(0, 79) + "…\n";
        lineStr = prev + lineStr;
      }
      if (/[^ ]/.test(lineStr)) {
        let count = 1;
        const end = error2.linePos[1];
        if (end?.line === line && end.col > col) {
          count = Math.max(1, Math.min(end.col - col, 80 - ci));
        }
        const pointer = " ".repeat(ci) + "^".repeat(count);
        error2.message += `:

${lineStr}
${pointer}
`;
      }
    };
    exports.YAMLError = YAMLError;
    exports.YAMLParseError = YAMLParseError;
    exports.YAMLWarning = YAMLWarning;
    exports.prettifyError = prettifyError;
  }
});

// node_modules/yaml/dist/compose/resolve-props.js
var require_resolve_props = __commonJS({
  "node_modules/yaml/dist/compose/resolve-props.js"(exports) {
    "use strict";
    function resolveProps(tokens2, { flow, indicator, next, offset, onError, parentIndent, startOnNewline }) {
      let spaceBefore = false;
      let atNewline = startOnNewline;
      let hasSpace = startOnNewline;
      let comment = "";
      let commentSep = "";
      let hasNewline = false;
      let reqSpace = false;
      let tab = null;
      let anchor = null;
      let tag = null;
      let newlineAfterProp = null;
      let comma = null;
      let found = null;
      let start = null;
      for (const token of tokens2) {
        if (reqSpace) {
          if (token.type !== "space" && token.type !== "newline" && token.type !== "comma")
            onError(token.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
          reqSpace = false;
        }
        if (tab) {
          if (atNewline && token.type !== "comment" && token.type !== "newline") {
            onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
          }
          tab = null;
        }
        switch (token.type) {
          case "space":
            if (!flow && (indicator !== "doc-start" || next?.type !== "flow-collection") && token.source.includes("	")) {
              tab = token;
            }
            hasSpace = true;
            break;
          case "comment": {
            if (!hasSpace)
              onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
            const cb = token.source.substring(1) || " ";
            if (!comment)
              comment = cb;
            else
              comment += commentSep + cb;
            commentSep = "";
            atNewline = false;
            break;
          }
          case "newline":
            if (atNewline) {
              if (comment)
                comment += token.source;
              else if (!found || indicator !== "seq-item-ind")
                spaceBefore = true;
            } else
              commentSep += token.source;
            atNewline = true;
            hasNewline = true;
            if (anchor || tag)
              newlineAfterProp = token;
            hasSpace = true;
            break;
          case "anchor":
            if (anchor)
              onError(token, "MULTIPLE_ANCHORS", "A node can have at most one anchor");
            if (token.source.endsWith(":"))
              onError(token.offset + token.source.length - 1, "BAD_ALIAS", "Anchor ending in : is ambiguous", true);
            anchor = token;
            start ?? (start = token.offset);
            atNewline = false;
            hasSpace = false;
            reqSpace = true;
            break;
          case "tag": {
            if (tag)
              onError(token, "MULTIPLE_TAGS", "A node can have at most one tag");
            tag = token;
            start ?? (start = token.offset);
            atNewline = false;
            hasSpace = false;
            reqSpace = true;
            break;
          }
          case indicator:
            if (anchor || tag)
              onError(token, "BAD_PROP_ORDER", `Anchors and tags must be after the ${token.source} indicator`);
            if (found)
              onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.source} in ${flow ?? "collection"}`);
            found = token;
            atNewline = indicator === "seq-item-ind" || indicator === "explicit-key-ind";
            hasSpace = false;
            break;
          case "comma":
            if (flow) {
              if (comma)
                onError(token, "UNEXPECTED_TOKEN", `Unexpected , in ${flow}`);
              comma = token;
              atNewline = false;
              hasSpace = false;
              break;
            }
          // else fallthrough
          default:
            onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.type} token`);
            atNewline = false;
            hasSpace = false;
        }
      }
      const last = tokens2[tokens2.length - 1];
      const end = last ? last.offset + last.source.length : offset;
      if (reqSpace && next && next.type !== "space" && next.type !== "newline" && next.type !== "comma" && (next.type !== "scalar" || next.source !== "")) {
        onError(next.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
      }
      if (tab && (atNewline && tab.indent <= parentIndent || next?.type === "block-map" || next?.type === "block-seq"))
        onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
      return {
        comma,
        found,
        spaceBefore,
        comment,
        hasNewline,
        anchor,
        tag,
        newlineAfterProp,
        end,
        start: start ?? end
      };
    }
    exports.resolveProps = resolveProps;
  }
});

// node_modules/yaml/dist/compose/util-contains-newline.js
var require_util_contains_newline = __commonJS({
  "node_modules/yaml/dist/compose/util-contains-newline.js"(exports) {
    "use strict";
    function containsNewline(key) {
      if (!key)
        return null;
      switch (key.type) {
        case "alias":
        case "scalar":
        case "double-quoted-scalar":
        case "single-quoted-scalar":
          if (key.source.includes("\n"))
            return true;
          if (key.end) {
            for (const st of key.end)
              if (st.type === "newline")
                return true;
          }
          return false;
        case "flow-collection":
          for (const it of key.items) {
            for (const st of it.start)
              if (st.type === "newline")
                return true;
            if (it.sep) {
              for (const st of it.sep)
                if (st.type === "newline")
                  return true;
            }
            if (containsNewline(it.key) || containsNewline(it.value))
              return true;
          }
          return false;
        default:
          return true;
      }
    }
    exports.containsNewline = containsNewline;
  }
});

// node_modules/yaml/dist/compose/util-flow-indent-check.js
var require_util_flow_indent_check = __commonJS({
  "node_modules/yaml/dist/compose/util-flow-indent-check.js"(exports) {
    "use strict";
    var utilContainsNewline = require_util_contains_newline();
    function flowIndentCheck(indent, fc, onError) {
      if (fc?.type === "flow-collection") {
        const end = fc.end[0];
        if (end.indent === indent && (end.source === "]" || end.source === "}") && utilContainsNewline.containsNewline(fc)) {
          const msg = "Flow end indicator should be more indented than parent";
          onError(end, "BAD_INDENT", msg, true);
        }
      }
    }
    exports.flowIndentCheck = flowIndentCheck;
  }
});

// node_modules/yaml/dist/compose/util-map-includes.js
var require_util_map_includes = __commonJS({
  "node_modules/yaml/dist/compose/util-map-includes.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    function mapIncludes(ctx, items, search) {
      const { uniqueKeys } = ctx.options;
      if (uniqueKeys === false)
        return false;
      const isEqual = typeof uniqueKeys === "function" ? uniqueKeys : (a, b) => a === b || identity2.isScalar(a) && identity2.isScalar(b) && a.value === b.value;
      return items.some((pair) => isEqual(pair.key, search));
    }
    exports.mapIncludes = mapIncludes;
  }
});

// node_modules/yaml/dist/compose/resolve-block-map.js
var require_resolve_block_map = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-map.js"(exports) {
    "use strict";
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var resolveProps = require_resolve_props();
    var utilContainsNewline = require_util_contains_newline();
    var utilFlowIndentCheck = require_util_flow_indent_check();
    var utilMapIncludes = require_util_map_includes();
    var startColMsg = "All mapping items must start at the same column";
    function resolveBlockMap({ composeNode, composeEmptyNode }, ctx, bm, onError, tag) {
      const NodeClass = tag?.nodeClass ?? YAMLMap.YAMLMap;
      const map = new NodeClass(ctx.schema);
      if (ctx.atRoot)
        ctx.atRoot = false;
      let offset = bm.offset;
      let commentEnd = null;
      for (const collItem of bm.items) {
        const { start, key, sep: sep2, value } = collItem;
        const keyProps = resolveProps.resolveProps(start, {
          indicator: "explicit-key-ind",
          next: key ?? sep2?.[0],
          offset,
          onError,
          parentIndent: bm.indent,
          startOnNewline: true
        });
        const implicitKey = !keyProps.found;
        if (implicitKey) {
          if (key) {
            if (key.type === "block-seq")
              onError(offset, "BLOCK_AS_IMPLICIT_KEY", "A block sequence may not be used as an implicit map key");
            else if ("indent" in key && key.indent !== bm.indent)
              onError(offset, "BAD_INDENT", startColMsg);
          }
          if (!keyProps.anchor && !keyProps.tag && !sep2) {
            commentEnd = keyProps.end;
            if (keyProps.comment) {
              if (map.comment)
                map.comment += "\n" + keyProps.comment;
              else
                map.comment = keyProps.comment;
            }
            continue;
          }
          if (keyProps.newlineAfterProp || utilContainsNewline.containsNewline(key)) {
            onError(key ?? start[start.length - 1], "MULTILINE_IMPLICIT_KEY", "Implicit keys need to be on a single line");
          }
        } else if (keyProps.found?.indent !== bm.indent) {
          onError(offset, "BAD_INDENT", startColMsg);
        }
        ctx.atKey = true;
        const keyStart = keyProps.end;
        const keyNode = key ? composeNode(ctx, key, keyProps, onError) : composeEmptyNode(ctx, keyStart, start, null, keyProps, onError);
        if (ctx.schema.compat)
          utilFlowIndentCheck.flowIndentCheck(bm.indent, key, onError);
        ctx.atKey = false;
        if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode))
          onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
        const valueProps = resolveProps.resolveProps(sep2 ?? [], {
          indicator: "map-value-ind",
          next: value,
          offset: keyNode.range[2],
          onError,
          parentIndent: bm.indent,
          startOnNewline: !key || key.type === "block-scalar"
        });
        offset = valueProps.end;
        if (valueProps.found) {
          if (implicitKey) {
            if (value?.type === "block-map" && !valueProps.hasNewline)
              onError(offset, "BLOCK_AS_IMPLICIT_KEY", "Nested mappings are not allowed in compact mappings");
            if (ctx.options.strict && keyProps.start < valueProps.found.offset - 1024)
              onError(keyNode.range, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit block mapping key");
          }
          const valueNode = value ? composeNode(ctx, value, valueProps, onError) : composeEmptyNode(ctx, offset, sep2, null, valueProps, onError);
          if (ctx.schema.compat)
            utilFlowIndentCheck.flowIndentCheck(bm.indent, value, onError);
          offset = valueNode.range[2];
          const pair = new Pair.Pair(keyNode, valueNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          map.items.push(pair);
        } else {
          if (implicitKey)
            onError(keyNode.range, "MISSING_CHAR", "Implicit map keys need to be followed by map values");
          if (valueProps.comment) {
            if (keyNode.comment)
              keyNode.comment += "\n" + valueProps.comment;
            else
              keyNode.comment = valueProps.comment;
          }
          const pair = new Pair.Pair(keyNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          map.items.push(pair);
        }
      }
      if (commentEnd && commentEnd < offset)
        onError(commentEnd, "IMPOSSIBLE", "Map comment with trailing content");
      map.range = [bm.offset, offset, commentEnd ?? offset];
      return map;
    }
    exports.resolveBlockMap = resolveBlockMap;
  }
});

// node_modules/yaml/dist/compose/resolve-block-seq.js
var require_resolve_block_seq = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-seq.js"(exports) {
    "use strict";
    var YAMLSeq = require_YAMLSeq();
    var resolveProps = require_resolve_props();
    var utilFlowIndentCheck = require_util_flow_indent_check();
    function resolveBlockSeq({ composeNode, composeEmptyNode }, ctx, bs, onError, tag) {
      const NodeClass = tag?.nodeClass ?? YAMLSeq.YAMLSeq;
      const seq = new NodeClass(ctx.schema);
      if (ctx.atRoot)
        ctx.atRoot = false;
      if (ctx.atKey)
        ctx.atKey = false;
      let offset = bs.offset;
      let commentEnd = null;
      for (const { start, value } of bs.items) {
        const props = resolveProps.resolveProps(start, {
          indicator: "seq-item-ind",
          next: value,
          offset,
          onError,
          parentIndent: bs.indent,
          startOnNewline: true
        });
        if (!props.found) {
          if (props.anchor || props.tag || value) {
            if (value?.type === "block-seq")
              onError(props.end, "BAD_INDENT", "All sequence items must start at the same column");
            else
              onError(offset, "MISSING_CHAR", "Sequence item without - indicator");
          } else {
            commentEnd = props.end;
            if (props.comment)
              seq.comment = props.comment;
            continue;
          }
        }
        const node = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, start, null, props, onError);
        if (ctx.schema.compat)
          utilFlowIndentCheck.flowIndentCheck(bs.indent, value, onError);
        offset = node.range[2];
        seq.items.push(node);
      }
      seq.range = [bs.offset, offset, commentEnd ?? offset];
      return seq;
    }
    exports.resolveBlockSeq = resolveBlockSeq;
  }
});

// node_modules/yaml/dist/compose/resolve-end.js
var require_resolve_end = __commonJS({
  "node_modules/yaml/dist/compose/resolve-end.js"(exports) {
    "use strict";
    function resolveEnd(end, offset, reqSpace, onError) {
      let comment = "";
      if (end) {
        let hasSpace = false;
        let sep2 = "";
        for (const token of end) {
          const { source, type } = token;
          switch (type) {
            case "space":
              hasSpace = true;
              break;
            case "comment": {
              if (reqSpace && !hasSpace)
                onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
              const cb = source.substring(1) || " ";
              if (!comment)
                comment = cb;
              else
                comment += sep2 + cb;
              sep2 = "";
              break;
            }
            case "newline":
              if (comment)
                sep2 += source;
              hasSpace = true;
              break;
            default:
              onError(token, "UNEXPECTED_TOKEN", `Unexpected ${type} at node end`);
          }
          offset += source.length;
        }
      }
      return { comment, offset };
    }
    exports.resolveEnd = resolveEnd;
  }
});

// node_modules/yaml/dist/compose/resolve-flow-collection.js
var require_resolve_flow_collection = __commonJS({
  "node_modules/yaml/dist/compose/resolve-flow-collection.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var resolveEnd = require_resolve_end();
    var resolveProps = require_resolve_props();
    var utilContainsNewline = require_util_contains_newline();
    var utilMapIncludes = require_util_map_includes();
    var blockMsg = "Block collections are not allowed within flow collections";
    var isBlock = (token) => token && (token.type === "block-map" || token.type === "block-seq");
    function resolveFlowCollection({ composeNode, composeEmptyNode }, ctx, fc, onError, tag) {
      const isMap = fc.start.source === "{";
      const fcName = isMap ? "flow map" : "flow sequence";
      const NodeClass = tag?.nodeClass ?? (isMap ? YAMLMap.YAMLMap : YAMLSeq.YAMLSeq);
      const coll = new NodeClass(ctx.schema);
      coll.flow = true;
      const atRoot = ctx.atRoot;
      if (atRoot)
        ctx.atRoot = false;
      if (ctx.atKey)
        ctx.atKey = false;
      let offset = fc.offset + fc.start.source.length;
      for (let i = 0; i < fc.items.length; ++i) {
        const collItem = fc.items[i];
        const { start, key, sep: sep2, value } = collItem;
        const props = resolveProps.resolveProps(start, {
          flow: fcName,
          indicator: "explicit-key-ind",
          next: key ?? sep2?.[0],
          offset,
          onError,
          parentIndent: fc.indent,
          startOnNewline: false
        });
        if (!props.found) {
          if (!props.anchor && !props.tag && !sep2 && !value) {
            if (i === 0 && props.comma)
              onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
            else if (i < fc.items.length - 1)
              onError(props.start, "UNEXPECTED_TOKEN", `Unexpected empty item in ${fcName}`);
            if (props.comment) {
              if (coll.comment)
                coll.comment += "\n" + props.comment;
              else
                coll.comment = props.comment;
            }
            offset = props.end;
            continue;
          }
          if (!isMap && ctx.options.strict && utilContainsNewline.containsNewline(key))
            onError(
              key,
              // checked by containsNewline()
              "MULTILINE_IMPLICIT_KEY",
              "Implicit keys of flow sequence pairs need to be on a single line"
            );
        }
        if (i === 0) {
          if (props.comma)
            onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
        } else {
          if (!props.comma)
            onError(props.start, "MISSING_CHAR", `Missing , between ${fcName} items`);
          if (props.comment) {
            let prevItemComment = "";
            loop: for (const st of start) {
              switch (st.type) {
                case "comma":
                case "space":
                  break;
                case "comment":
                  prevItemComment = st.source.substring(1);
                  break loop;
                default:
                  break loop;
              }
            }
            if (prevItemComment) {
              let prev = coll.items[coll.items.length - 1];
              if (identity2.isPair(prev))
                prev = prev.value ?? prev.key;
              if (prev.comment)
                prev.comment += "\n" + prevItemComment;
              else
                prev.comment = prevItemComment;
              props.comment = props.comment.substring(prevItemComment.length + 1);
            }
          }
        }
        if (!isMap && !sep2 && !props.found) {
          const valueNode = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, sep2, null, props, onError);
          coll.items.push(valueNode);
          offset = valueNode.range[2];
          if (isBlock(value))
            onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
        } else {
          ctx.atKey = true;
          const keyStart = props.end;
          const keyNode = key ? composeNode(ctx, key, props, onError) : composeEmptyNode(ctx, keyStart, start, null, props, onError);
          if (isBlock(key))
            onError(keyNode.range, "BLOCK_IN_FLOW", blockMsg);
          ctx.atKey = false;
          const valueProps = resolveProps.resolveProps(sep2 ?? [], {
            flow: fcName,
            indicator: "map-value-ind",
            next: value,
            offset: keyNode.range[2],
            onError,
            parentIndent: fc.indent,
            startOnNewline: false
          });
          if (valueProps.found) {
            if (!isMap && !props.found && ctx.options.strict) {
              if (sep2)
                for (const st of sep2) {
                  if (st === valueProps.found)
                    break;
                  if (st.type === "newline") {
                    onError(st, "MULTILINE_IMPLICIT_KEY", "Implicit keys of flow sequence pairs need to be on a single line");
                    break;
                  }
                }
              if (props.start < valueProps.found.offset - 1024)
                onError(valueProps.found, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit flow sequence key");
            }
          } else if (value) {
            if ("source" in value && value.source?.[0] === ":")
              onError(value, "MISSING_CHAR", `Missing space after : in ${fcName}`);
            else
              onError(valueProps.start, "MISSING_CHAR", `Missing , or : between ${fcName} items`);
          }
          const valueNode = value ? composeNode(ctx, value, valueProps, onError) : valueProps.found ? composeEmptyNode(ctx, valueProps.end, sep2, null, valueProps, onError) : null;
          if (valueNode) {
            if (isBlock(value))
              onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
          } else if (valueProps.comment) {
            if (keyNode.comment)
              keyNode.comment += "\n" + valueProps.comment;
            else
              keyNode.comment = valueProps.comment;
          }
          const pair = new Pair.Pair(keyNode, valueNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          if (isMap) {
            const map = coll;
            if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode))
              onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
            map.items.push(pair);
          } else {
            const map = new YAMLMap.YAMLMap(ctx.schema);
            map.flow = true;
            map.items.push(pair);
            const endRange = (valueNode ?? keyNode).range;
            map.range = [keyNode.range[0], endRange[1], endRange[2]];
            coll.items.push(map);
          }
          offset = valueNode ? valueNode.range[2] : valueProps.end;
        }
      }
      const expectedEnd = isMap ? "}" : "]";
      const [ce, ...ee] = fc.end;
      let cePos = offset;
      if (ce?.source === expectedEnd)
        cePos = ce.offset + ce.source.length;
      else {
        const name = fcName[0].toUpperCase() + fcName.substring(1);
        const msg = atRoot ? `${name} must end with a ${expectedEnd}` : `${name} in block collection must be sufficiently indented and end with a ${expectedEnd}`;
        onError(offset, atRoot ? "MISSING_CHAR" : "BAD_INDENT", msg);
        if (ce && ce.source.length !== 1)
          ee.unshift(ce);
      }
      if (ee.length > 0) {
        const end = resolveEnd.resolveEnd(ee, cePos, ctx.options.strict, onError);
        if (end.comment) {
          if (coll.comment)
            coll.comment += "\n" + end.comment;
          else
            coll.comment = end.comment;
        }
        coll.range = [fc.offset, cePos, end.offset];
      } else {
        coll.range = [fc.offset, cePos, cePos];
      }
      return coll;
    }
    exports.resolveFlowCollection = resolveFlowCollection;
  }
});

// node_modules/yaml/dist/compose/compose-collection.js
var require_compose_collection = __commonJS({
  "node_modules/yaml/dist/compose/compose-collection.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Scalar = require_Scalar();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var resolveBlockMap = require_resolve_block_map();
    var resolveBlockSeq = require_resolve_block_seq();
    var resolveFlowCollection = require_resolve_flow_collection();
    function resolveCollection(CN, ctx, token, onError, tagName, tag) {
      const coll = token.type === "block-map" ? resolveBlockMap.resolveBlockMap(CN, ctx, token, onError, tag) : token.type === "block-seq" ? resolveBlockSeq.resolveBlockSeq(CN, ctx, token, onError, tag) : resolveFlowCollection.resolveFlowCollection(CN, ctx, token, onError, tag);
      const Coll = coll.constructor;
      if (tagName === "!" || tagName === Coll.tagName) {
        coll.tag = Coll.tagName;
        return coll;
      }
      if (tagName)
        coll.tag = tagName;
      return coll;
    }
    function composeCollection(CN, ctx, token, props, onError) {
      const tagToken = props.tag;
      const tagName = !tagToken ? null : ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg));
      if (token.type === "block-seq") {
        const { anchor, newlineAfterProp: nl } = props;
        const lastProp = anchor && tagToken ? anchor.offset > tagToken.offset ? anchor : tagToken : anchor ?? tagToken;
        if (lastProp && (!nl || nl.offset < lastProp.offset)) {
          const message = "Missing newline after block sequence props";
          onError(lastProp, "MISSING_CHAR", message);
        }
      }
      const expType = token.type === "block-map" ? "map" : token.type === "block-seq" ? "seq" : token.start.source === "{" ? "map" : "seq";
      if (!tagToken || !tagName || tagName === "!" || tagName === YAMLMap.YAMLMap.tagName && expType === "map" || tagName === YAMLSeq.YAMLSeq.tagName && expType === "seq") {
        return resolveCollection(CN, ctx, token, onError, tagName);
      }
      let tag = ctx.schema.tags.find((t) => t.tag === tagName && t.collection === expType);
      if (!tag) {
        const kt = ctx.schema.knownTags[tagName];
        if (kt?.collection === expType) {
          ctx.schema.tags.push(Object.assign({}, kt, { default: false }));
          tag = kt;
        } else {
          if (kt) {
            onError(tagToken, "BAD_COLLECTION_TYPE", `${kt.tag} used for ${expType} collection, but expects ${kt.collection ?? "scalar"}`, true);
          } else {
            onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, true);
          }
          return resolveCollection(CN, ctx, token, onError, tagName);
        }
      }
      const coll = resolveCollection(CN, ctx, token, onError, tagName, tag);
      const res = tag.resolve?.(coll, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg), ctx.options) ?? coll;
      const node = identity2.isNode(res) ? res : new Scalar.Scalar(res);
      node.range = coll.range;
      node.tag = tagName;
      if (tag?.format)
        node.format = tag.format;
      return node;
    }
    exports.composeCollection = composeCollection;
  }
});

// node_modules/yaml/dist/compose/resolve-block-scalar.js
var require_resolve_block_scalar = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-scalar.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    function resolveBlockScalar(ctx, scalar, onError) {
      const start = scalar.offset;
      const header = parseBlockScalarHeader(scalar, ctx.options.strict, onError);
      if (!header)
        return { value: "", type: null, comment: "", range: [start, start, start] };
      const type = header.mode === ">" ? Scalar.Scalar.BLOCK_FOLDED : Scalar.Scalar.BLOCK_LITERAL;
      const lines = scalar.source ? splitLines(scalar.source) : [];
      let chompStart = lines.length;
      for (let i = lines.length - 1; i >= 0; --i) {
        const content = lines[i][1];
        if (content === "" || content === "\r")
          chompStart = i;
        else
          break;
      }
      if (chompStart === 0) {
        const value2 = header.chomp === "+" && lines.length > 0 ? "\n".repeat(Math.max(1, lines.length - 1)) : "";
        let end2 = start + header.length;
        if (scalar.source)
          end2 += scalar.source.length;
        return { value: value2, type, comment: header.comment, range: [start, end2, end2] };
      }
      let trimIndent = scalar.indent + header.indent;
      let offset = scalar.offset + header.length;
      let contentStart = 0;
      for (let i = 0; i < chompStart; ++i) {
        const [indent, content] = lines[i];
        if (content === "" || content === "\r") {
          if (header.indent === 0 && indent.length > trimIndent)
            trimIndent = indent.length;
        } else {
          if (indent.length < trimIndent) {
            const message = "Block scalars with more-indented leading empty lines must use an explicit indentation indicator";
            onError(offset + indent.length, "MISSING_CHAR", message);
          }
          if (header.indent === 0)
            trimIndent = indent.length;
          contentStart = i;
          if (trimIndent === 0 && !ctx.atRoot) {
            const message = "Block scalar values in collections must be indented";
            onError(offset, "BAD_INDENT", message);
          }
          break;
        }
        offset += indent.length + content.length + 1;
      }
      for (let i = lines.length - 1; i >= chompStart; --i) {
        if (lines[i][0].length > trimIndent)
          chompStart = i + 1;
      }
      let value = "";
      let sep2 = "";
      let prevMoreIndented = false;
      for (let i = 0; i < contentStart; ++i)
        value += lines[i][0].slice(trimIndent) + "\n";
      for (let i = contentStart; i < chompStart; ++i) {
        let [indent, content] = lines[i];
        offset += indent.length + content.length + 1;
        const crlf = content[content.length - 1] === "\r";
        if (crlf)
          content = content.slice(0, -1);
        if (content && indent.length < trimIndent) {
          const src = header.indent ? "explicit indentation indicator" : "first line";
          const message = `Block scalar lines must not be less indented than their ${src}`;
          onError(offset - content.length - (crlf ? 2 : 1), "BAD_INDENT", message);
          indent = "";
        }
        if (type === Scalar.Scalar.BLOCK_LITERAL) {
          value += sep2 + indent.slice(trimIndent) + content;
          sep2 = "\n";
        } else if (indent.length > trimIndent || content[0] === "	") {
          if (sep2 === " ")
            sep2 = "\n";
          else if (!prevMoreIndented && sep2 === "\n")
            sep2 = "\n\n";
          value += sep2 + indent.slice(trimIndent) + content;
          sep2 = "\n";
          prevMoreIndented = true;
        } else if (content === "") {
          if (sep2 === "\n")
            value += "\n";
          else
            sep2 = "\n";
        } else {
          value += sep2 + content;
          sep2 = " ";
          prevMoreIndented = false;
        }
      }
      switch (header.chomp) {
        case "-":
          break;
        case "+":
          for (let i = chompStart; i < lines.length; ++i)
            value += "\n" + lines[i][0].slice(trimIndent);
          if (value[value.length - 1] !== "\n")
            value += "\n";
          break;
        default:
          value += "\n";
      }
      const end = start + header.length + scalar.source.length;
      return { value, type, comment: header.comment, range: [start, end, end] };
    }
    function parseBlockScalarHeader({ offset, props }, strict, onError) {
      if (props[0].type !== "block-scalar-header") {
        onError(props[0], "IMPOSSIBLE", "Block scalar header not found");
        return null;
      }
      const { source } = props[0];
      const mode = source[0];
      let indent = 0;
      let chomp = "";
      let error2 = -1;
      for (let i = 1; i < source.length; ++i) {
        const ch = source[i];
        if (!chomp && (ch === "-" || ch === "+"))
          chomp = ch;
        else {
          const n = Number(ch);
          if (!indent && n)
            indent = n;
          else if (error2 === -1)
            error2 = offset + i;
        }
      }
      if (error2 !== -1)
        onError(error2, "UNEXPECTED_TOKEN", `Block scalar header includes extra characters: ${source}`);
      let hasSpace = false;
      let comment = "";
      let length = source.length;
      for (let i = 1; i < props.length; ++i) {
        const token = props[i];
        switch (token.type) {
          case "space":
            hasSpace = true;
          // fallthrough
          case "newline":
            length += token.source.length;
            break;
          case "comment":
            if (strict && !hasSpace) {
              const message = "Comments must be separated from other tokens by white space characters";
              onError(token, "MISSING_CHAR", message);
            }
            length += token.source.length;
            comment = token.source.substring(1);
            break;
          case "error":
            onError(token, "UNEXPECTED_TOKEN", token.message);
            length += token.source.length;
            break;
          /* istanbul ignore next should not happen */
          default: {
            const message = `Unexpected token in block scalar header: ${token.type}`;
            onError(token, "UNEXPECTED_TOKEN", message);
            const ts = token.source;
            if (ts && typeof ts === "string")
              length += ts.length;
          }
        }
      }
      return { mode, indent, chomp, comment, length };
    }
    function splitLines(source) {
      const split = source.split(/\n( *)/);
      const first = split[0];
      const m = first.match(/^( *)/);
      const line0 = m?.[1] ? [m[1], first.slice(m[1].length)] : ["", first];
      const lines = [line0];
      for (let i = 1; i < split.length; i += 2)
        lines.push([split[i], split[i + 1]]);
      return lines;
    }
    exports.resolveBlockScalar = resolveBlockScalar;
  }
});

// node_modules/yaml/dist/compose/resolve-flow-scalar.js
var require_resolve_flow_scalar = __commonJS({
  "node_modules/yaml/dist/compose/resolve-flow-scalar.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var resolveEnd = require_resolve_end();
    function resolveFlowScalar(scalar, strict, onError) {
      const { offset, type, source, end } = scalar;
      let _type;
      let value;
      const _onError = (rel, code2, msg) => onError(offset + rel, code2, msg);
      switch (type) {
        case "scalar":
          _type = Scalar.Scalar.PLAIN;
          value = plainValue(source, _onError);
          break;
        case "single-quoted-scalar":
          _type = Scalar.Scalar.QUOTE_SINGLE;
          value = singleQuotedValue(source, _onError);
          break;
        case "double-quoted-scalar":
          _type = Scalar.Scalar.QUOTE_DOUBLE;
          value = doubleQuotedValue(source, _onError);
          break;
        /* istanbul ignore next should not happen */
        default:
          onError(scalar, "UNEXPECTED_TOKEN", `Expected a flow scalar value, but found: ${type}`);
          return {
            value: "",
            type: null,
            comment: "",
            range: [offset, offset + source.length, offset + source.length]
          };
      }
      const valueEnd = offset + source.length;
      const re = resolveEnd.resolveEnd(end, valueEnd, strict, onError);
      return {
        value,
        type: _type,
        comment: re.comment,
        range: [offset, valueEnd, re.offset]
      };
    }
    function plainValue(source, onError) {
      let badChar = "";
      switch (source[0]) {
        /* istanbul ignore next should not happen */
        case "	":
          badChar = "a tab character";
          break;
        case ",":
          badChar = "flow indicator character ,";
          break;
        case "%":
          badChar = "directive indicator character %";
          break;
        case "|":
        case ">": {
          badChar = `block scalar indicator ${source[0]}`;
          break;
        }
        case "@":
        case "`": {
          badChar = `reserved character ${source[0]}`;
          break;
        }
      }
      if (badChar)
        onError(0, "BAD_SCALAR_START", `Plain value cannot start with ${badChar}`);
      return unfoldLines(source);
    }
    function singleQuotedValue(source, onError) {
      if (source[source.length - 1] !== "'" || source.length === 1)
        onError(source.length, "MISSING_CHAR", "Missing closing 'quote");
      return unfoldLines(source.slice(1, -1)).replace(/''/g, "'");
    }
    function unfoldLines(source) {
      const line = /(.*?)\r?\n/sy;
      let match = line.exec(source);
      if (!match)
        return source;
      let trimEnd, trimBoth;
      try {
        trimEnd = new RegExp("(?<![ 	])[ 	]+$");
        trimBoth = new RegExp("^[ 	]+|(?<![ 	])[ 	]+$", "g");
      } catch {
        trimEnd = /[ \t]+$/;
        trimBoth = /^[ \t]+|[ \t]+$/g;
      }
      let res = match[1].replace(trimEnd, "");
      let sep2 = " ";
      let pos = line.lastIndex;
      while (match = line.exec(source)) {
        const lm = match[1].replace(trimBoth, "");
        if (lm === "") {
          if (sep2 === "\n")
            res += sep2;
          else
            sep2 = "\n";
        } else {
          res += sep2 + lm;
          sep2 = " ";
        }
        pos = line.lastIndex;
      }
      const last = /[ \t]*(.*)/sy;
      last.lastIndex = pos;
      match = last.exec(source);
      return res + sep2 + (match?.[1] ?? "");
    }
    function doubleQuotedValue(source, onError) {
      let res = "";
      for (let i = 1; i < source.length - 1; ++i) {
        const ch = source[i];
        if (ch === "\r" && source[i + 1] === "\n")
          continue;
        if (ch === "\n") {
          const { fold, offset } = foldNewline(source, i);
          res += fold;
          i = offset;
        } else if (ch === "\\") {
          let next = source[++i];
          const cc = escapeCodes[next];
          if (cc)
            res += cc;
          else if (next === "\n") {
            next = source[i + 1];
            while (next === " " || next === "	")
              next = source[++i + 1];
          } else if (next === "\r" && source[i + 1] === "\n") {
            next = source[++i + 1];
            while (next === " " || next === "	")
              next = source[++i + 1];
          } else if (next === "x" || next === "u" || next === "U") {
            const length = next === "x" ? 2 : next === "u" ? 4 : 8;
            res += parseCharCode(source, i + 1, length, onError);
            i += length;
          } else {
            const raw = source.substr(i - 1, 2);
            onError(i - 1, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
            res += raw;
          }
        } else if (ch === " " || ch === "	") {
          const wsStart = i;
          let next = source[i + 1];
          while (next === " " || next === "	")
            next = source[++i + 1];
          if (next !== "\n" && !(next === "\r" && source[i + 2] === "\n"))
            res += i > wsStart ? source.slice(wsStart, i + 1) : ch;
        } else {
          res += ch;
        }
      }
      if (source[source.length - 1] !== '"' || source.length === 1)
        onError(source.length, "MISSING_CHAR", 'Missing closing "quote');
      return res;
    }
    function foldNewline(source, offset) {
      let fold = "";
      let ch = source[offset + 1];
      while (ch === " " || ch === "	" || ch === "\n" || ch === "\r") {
        if (ch === "\r" && source[offset + 2] !== "\n")
          break;
        if (ch === "\n")
          fold += "\n";
        offset += 1;
        ch = source[offset + 1];
      }
      if (!fold)
        fold = " ";
      return { fold, offset };
    }
    var escapeCodes = {
      "0": "\0",
      // null character
      a: "\x07",
      // bell character
      b: "\b",
      // backspace
      e: "\x1B",
      // escape character
      f: "\f",
      // form feed
      n: "\n",
      // line feed
      r: "\r",
      // carriage return
      t: "	",
      // horizontal tab
      v: "\v",
      // vertical tab
      N: "",
      // Unicode next line
      _: " ",
      // Unicode non-breaking space
      L: "\u2028",
      // Unicode line separator
      P: "\u2029",
      // Unicode paragraph separator
      " ": " ",
      '"': '"',
      "/": "/",
      "\\": "\\",
      "	": "	"
    };
    function parseCharCode(source, offset, length, onError) {
      const cc = source.substr(offset, length);
      const ok = cc.length === length && /^[0-9a-fA-F]+$/.test(cc);
      const code2 = ok ? parseInt(cc, 16) : NaN;
      try {
        return String.fromCodePoint(code2);
      } catch {
        const raw = source.substr(offset - 2, length + 2);
        onError(offset - 2, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
        return raw;
      }
    }
    exports.resolveFlowScalar = resolveFlowScalar;
  }
});

// node_modules/yaml/dist/compose/compose-scalar.js
var require_compose_scalar = __commonJS({
  "node_modules/yaml/dist/compose/compose-scalar.js"(exports) {
    "use strict";
    var identity2 = require_identity();
    var Scalar = require_Scalar();
    var resolveBlockScalar = require_resolve_block_scalar();
    var resolveFlowScalar = require_resolve_flow_scalar();
    function composeScalar(ctx, token, tagToken, onError) {
      const { value, type, comment, range } = token.type === "block-scalar" ? resolveBlockScalar.resolveBlockScalar(ctx, token, onError) : resolveFlowScalar.resolveFlowScalar(token, ctx.options.strict, onError);
      const tagName = tagToken ? ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg)) : null;
      let tag;
      if (ctx.options.stringKeys && ctx.atKey) {
        tag = ctx.schema[identity2.SCALAR];
      } else if (tagName)
        tag = findScalarTagByName(ctx.schema, value, tagName, tagToken, onError);
      else if (token.type === "scalar")
        tag = findScalarTagByTest(ctx, value, token, onError);
      else
        tag = ctx.schema[identity2.SCALAR];
      let scalar;
      try {
        const res = tag.resolve(value, (msg) => onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg), ctx.options);
        scalar = identity2.isScalar(res) ? res : new Scalar.Scalar(res);
      } catch (error2) {
        const msg = error2 instanceof Error ? error2.message : String(error2);
        onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg);
        scalar = new Scalar.Scalar(value);
      }
      scalar.range = range;
      scalar.source = value;
      if (type)
        scalar.type = type;
      if (tagName)
        scalar.tag = tagName;
      if (tag.format)
        scalar.format = tag.format;
      if (comment)
        scalar.comment = comment;
      return scalar;
    }
    function findScalarTagByName(schema, value, tagName, tagToken, onError) {
      if (tagName === "!")
        return schema[identity2.SCALAR];
      const matchWithTest = [];
      for (const tag of schema.tags) {
        if (!tag.collection && tag.tag === tagName) {
          if (tag.default && tag.test)
            matchWithTest.push(tag);
          else
            return tag;
        }
      }
      for (const tag of matchWithTest)
        if (tag.test?.test(value))
          return tag;
      const kt = schema.knownTags[tagName];
      if (kt && !kt.collection) {
        schema.tags.push(Object.assign({}, kt, { default: false, test: void 0 }));
        return kt;
      }
      onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, tagName !== "tag:yaml.org,2002:str");
      return schema[identity2.SCALAR];
    }
    function findScalarTagByTest({ atKey, directives, schema }, value, token, onError) {
      const tag = schema.tags.find((tag2) => (tag2.default === true || atKey && tag2.default === "key") && tag2.test?.test(value)) || schema[identity2.SCALAR];
      if (schema.compat) {
        const compat = schema.compat.find((tag2) => tag2.default && tag2.test?.test(value)) ?? schema[identity2.SCALAR];
        if (tag.tag !== compat.tag) {
          const ts = directives.tagString(tag.tag);
          const cs = directives.tagString(compat.tag);
          const msg = `Value may be parsed as either ${ts} or ${cs}`;
          onError(token, "TAG_RESOLVE_FAILED", msg, true);
        }
      }
      return tag;
    }
    exports.composeScalar = composeScalar;
  }
});

// node_modules/yaml/dist/compose/util-empty-scalar-position.js
var require_util_empty_scalar_position = __commonJS({
  "node_modules/yaml/dist/compose/util-empty-scalar-position.js"(exports) {
    "use strict";
    function emptyScalarPosition(offset, before, pos) {
      if (before) {
        pos ?? (pos = before.length);
        for (let i = pos - 1; i >= 0; --i) {
          let st = before[i];
          switch (st.type) {
            case "space":
            case "comment":
            case "newline":
              offset -= st.source.length;
              continue;
          }
          st = before[++i];
          while (st?.type === "space") {
            offset += st.source.length;
            st = before[++i];
          }
          break;
        }
      }
      return offset;
    }
    exports.emptyScalarPosition = emptyScalarPosition;
  }
});

// node_modules/yaml/dist/compose/compose-node.js
var require_compose_node = __commonJS({
  "node_modules/yaml/dist/compose/compose-node.js"(exports) {
    "use strict";
    var Alias = require_Alias();
    var identity2 = require_identity();
    var composeCollection = require_compose_collection();
    var composeScalar = require_compose_scalar();
    var resolveEnd = require_resolve_end();
    var utilEmptyScalarPosition = require_util_empty_scalar_position();
    var CN = { composeNode, composeEmptyNode };
    function composeNode(ctx, token, props, onError) {
      const atKey = ctx.atKey;
      const { spaceBefore, comment, anchor, tag } = props;
      let node;
      let isSrcToken = true;
      switch (token.type) {
        case "alias":
          node = composeAlias(ctx, token, onError);
          if (anchor || tag)
            onError(token, "ALIAS_PROPS", "An alias node must not specify any properties");
          break;
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar":
        case "block-scalar":
          node = composeScalar.composeScalar(ctx, token, tag, onError);
          if (anchor)
            node.anchor = anchor.source.substring(1);
          break;
        case "block-map":
        case "block-seq":
        case "flow-collection":
          try {
            node = composeCollection.composeCollection(CN, ctx, token, props, onError);
            if (anchor)
              node.anchor = anchor.source.substring(1);
          } catch (error2) {
            const message = error2 instanceof Error ? error2.message : String(error2);
            onError(token, "RESOURCE_EXHAUSTION", message);
          }
          break;
        default: {
          const message = token.type === "error" ? token.message : `Unsupported token (type: ${token.type})`;
          onError(token, "UNEXPECTED_TOKEN", message);
          isSrcToken = false;
        }
      }
      node ?? (node = composeEmptyNode(ctx, token.offset, void 0, null, props, onError));
      if (anchor && node.anchor === "")
        onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
      if (atKey && ctx.options.stringKeys && (!identity2.isScalar(node) || typeof node.value !== "string" || node.tag && node.tag !== "tag:yaml.org,2002:str")) {
        const msg = "With stringKeys, all keys must be strings";
        onError(tag ?? token, "NON_STRING_KEY", msg);
      }
      if (spaceBefore)
        node.spaceBefore = true;
      if (comment) {
        if (token.type === "scalar" && token.source === "")
          node.comment = comment;
        else
          node.commentBefore = comment;
      }
      if (ctx.options.keepSourceTokens && isSrcToken)
        node.srcToken = token;
      return node;
    }
    function composeEmptyNode(ctx, offset, before, pos, { spaceBefore, comment, anchor, tag, end }, onError) {
      const token = {
        type: "scalar",
        offset: utilEmptyScalarPosition.emptyScalarPosition(offset, before, pos),
        indent: -1,
        source: ""
      };
      const node = composeScalar.composeScalar(ctx, token, tag, onError);
      if (anchor) {
        node.anchor = anchor.source.substring(1);
        if (node.anchor === "")
          onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
      }
      if (spaceBefore)
        node.spaceBefore = true;
      if (comment) {
        node.comment = comment;
        node.range[2] = end;
      }
      return node;
    }
    function composeAlias({ options }, { offset, source, end }, onError) {
      const alias = new Alias.Alias(source.substring(1));
      if (alias.source === "")
        onError(offset, "BAD_ALIAS", "Alias cannot be an empty string");
      if (alias.source.endsWith(":"))
        onError(offset + source.length - 1, "BAD_ALIAS", "Alias ending in : is ambiguous", true);
      const valueEnd = offset + source.length;
      const re = resolveEnd.resolveEnd(end, valueEnd, options.strict, onError);
      alias.range = [offset, valueEnd, re.offset];
      if (re.comment)
        alias.comment = re.comment;
      return alias;
    }
    exports.composeEmptyNode = composeEmptyNode;
    exports.composeNode = composeNode;
  }
});

// node_modules/yaml/dist/compose/compose-doc.js
var require_compose_doc = __commonJS({
  "node_modules/yaml/dist/compose/compose-doc.js"(exports) {
    "use strict";
    var Document = require_Document();
    var composeNode = require_compose_node();
    var resolveEnd = require_resolve_end();
    var resolveProps = require_resolve_props();
    function composeDoc(options, directives, { offset, start, value, end }, onError) {
      const opts = Object.assign({ _directives: directives }, options);
      const doc = new Document.Document(void 0, opts);
      const ctx = {
        atKey: false,
        atRoot: true,
        directives: doc.directives,
        options: doc.options,
        schema: doc.schema
      };
      const props = resolveProps.resolveProps(start, {
        indicator: "doc-start",
        next: value ?? end?.[0],
        offset,
        onError,
        parentIndent: 0,
        startOnNewline: true
      });
      if (props.found) {
        doc.directives.docStart = true;
        if (value && (value.type === "block-map" || value.type === "block-seq") && !props.hasNewline)
          onError(props.end, "MISSING_CHAR", "Block collection cannot start on same line with directives-end marker");
      }
      doc.contents = value ? composeNode.composeNode(ctx, value, props, onError) : composeNode.composeEmptyNode(ctx, props.end, start, null, props, onError);
      const contentEnd = doc.contents.range[2];
      const re = resolveEnd.resolveEnd(end, contentEnd, false, onError);
      if (re.comment)
        doc.comment = re.comment;
      doc.range = [offset, contentEnd, re.offset];
      return doc;
    }
    exports.composeDoc = composeDoc;
  }
});

// node_modules/yaml/dist/compose/composer.js
var require_composer = __commonJS({
  "node_modules/yaml/dist/compose/composer.js"(exports) {
    "use strict";
    var node_process = __require("process");
    var directives = require_directives();
    var Document = require_Document();
    var errors = require_errors();
    var identity2 = require_identity();
    var composeDoc = require_compose_doc();
    var resolveEnd = require_resolve_end();
    function getErrorPos(src) {
      if (typeof src === "number")
        return [src, src + 1];
      if (Array.isArray(src))
        return src.length === 2 ? src : [src[0], src[1]];
      const { offset, source } = src;
      return [offset, offset + (typeof source === "string" ? source.length : 1)];
    }
    function parsePrelude(prelude) {
      let comment = "";
      let atComment = false;
      let afterEmptyLine = false;
      for (let i = 0; i < prelude.length; ++i) {
        const source = prelude[i];
        switch (source[0]) {
          case "#":
            comment += (comment === "" ? "" : afterEmptyLine ? "\n\n" : "\n") + (source.substring(1) || " ");
            atComment = true;
            afterEmptyLine = false;
            break;
          case "%":
            if (prelude[i + 1]?.[0] !== "#")
              i += 1;
            atComment = false;
            break;
          default:
            if (!atComment)
              afterEmptyLine = true;
            atComment = false;
        }
      }
      return { comment, afterEmptyLine };
    }
    var Composer = class {
      constructor(options = {}) {
        this.doc = null;
        this.atDirectives = false;
        this.prelude = [];
        this.errors = [];
        this.warnings = [];
        this.onError = (source, code2, message, warning2) => {
          const pos = getErrorPos(source);
          if (warning2)
            this.warnings.push(new errors.YAMLWarning(pos, code2, message));
          else
            this.errors.push(new errors.YAMLParseError(pos, code2, message));
        };
        this.directives = new directives.Directives({ version: options.version || "1.2" });
        this.options = options;
      }
      decorate(doc, afterDoc) {
        const { comment, afterEmptyLine } = parsePrelude(this.prelude);
        if (comment) {
          const dc = doc.contents;
          if (afterDoc) {
            doc.comment = doc.comment ? `${doc.comment}
${comment}` : comment;
          } else if (afterEmptyLine || doc.directives.docStart || !dc) {
            doc.commentBefore = comment;
          } else if (identity2.isCollection(dc) && !dc.flow && dc.items.length > 0) {
            let it = dc.items[0];
            if (identity2.isPair(it))
              it = it.key;
            const cb = it.commentBefore;
            it.commentBefore = cb ? `${comment}
${cb}` : comment;
          } else {
            const cb = dc.commentBefore;
            dc.commentBefore = cb ? `${comment}
${cb}` : comment;
          }
        }
        if (afterDoc) {
          for (let i = 0; i < this.errors.length; ++i)
            doc.errors.push(this.errors[i]);
          for (let i = 0; i < this.warnings.length; ++i)
            doc.warnings.push(this.warnings[i]);
        } else {
          doc.errors = this.errors;
          doc.warnings = this.warnings;
        }
        this.prelude = [];
        this.errors = [];
        this.warnings = [];
      }
      /**
       * Current stream status information.
       *
       * Mostly useful at the end of input for an empty stream.
       */
      streamInfo() {
        return {
          comment: parsePrelude(this.prelude).comment,
          directives: this.directives,
          errors: this.errors,
          warnings: this.warnings
        };
      }
      /**
       * Compose tokens into documents.
       *
       * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
       * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
       */
      *compose(tokens2, forceDoc = false, endOffset = -1) {
        for (const token of tokens2)
          yield* this.next(token);
        yield* this.end(forceDoc, endOffset);
      }
      /** Advance the composer by one CST token. */
      *next(token) {
        if (node_process.env.LOG_STREAM)
          console.dir(token, { depth: null });
        switch (token.type) {
          case "directive":
            this.directives.add(token.source, (offset, message, warning2) => {
              const pos = getErrorPos(token);
              pos[0] += offset;
              this.onError(pos, "BAD_DIRECTIVE", message, warning2);
            });
            this.prelude.push(token.source);
            this.atDirectives = true;
            break;
          case "document": {
            const doc = composeDoc.composeDoc(this.options, this.directives, token, this.onError);
            if (this.atDirectives && !doc.directives.docStart)
              this.onError(token, "MISSING_CHAR", "Missing directives-end/doc-start indicator line");
            this.decorate(doc, false);
            if (this.doc)
              yield this.doc;
            this.doc = doc;
            this.atDirectives = false;
            break;
          }
          case "byte-order-mark":
          case "space":
            break;
          case "comment":
          case "newline":
            this.prelude.push(token.source);
            break;
          case "error": {
            const msg = token.source ? `${token.message}: ${JSON.stringify(token.source)}` : token.message;
            const error2 = new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg);
            if (this.atDirectives || !this.doc)
              this.errors.push(error2);
            else
              this.doc.errors.push(error2);
            break;
          }
          case "doc-end": {
            if (!this.doc) {
              const msg = "Unexpected doc-end without preceding document";
              this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg));
              break;
            }
            this.doc.directives.docEnd = true;
            const end = resolveEnd.resolveEnd(token.end, token.offset + token.source.length, this.doc.options.strict, this.onError);
            this.decorate(this.doc, true);
            if (end.comment) {
              const dc = this.doc.comment;
              this.doc.comment = dc ? `${dc}
${end.comment}` : end.comment;
            }
            this.doc.range[2] = end.offset;
            break;
          }
          default:
            this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", `Unsupported token ${token.type}`));
        }
      }
      /**
       * Call at end of input to yield any remaining document.
       *
       * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
       * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
       */
      *end(forceDoc = false, endOffset = -1) {
        if (this.doc) {
          this.decorate(this.doc, true);
          yield this.doc;
          this.doc = null;
        } else if (forceDoc) {
          const opts = Object.assign({ _directives: this.directives }, this.options);
          const doc = new Document.Document(void 0, opts);
          if (this.atDirectives)
            this.onError(endOffset, "MISSING_CHAR", "Missing directives-end indicator line");
          doc.range = [0, endOffset, endOffset];
          this.decorate(doc, false);
          yield doc;
        }
      }
    };
    exports.Composer = Composer;
  }
});

// node_modules/yaml/dist/parse/cst-scalar.js
var require_cst_scalar = __commonJS({
  "node_modules/yaml/dist/parse/cst-scalar.js"(exports) {
    "use strict";
    var resolveBlockScalar = require_resolve_block_scalar();
    var resolveFlowScalar = require_resolve_flow_scalar();
    var errors = require_errors();
    var stringifyString = require_stringifyString();
    function resolveAsScalar(token, strict = true, onError) {
      if (token) {
        const _onError = (pos, code2, message) => {
          const offset = typeof pos === "number" ? pos : Array.isArray(pos) ? pos[0] : pos.offset;
          if (onError)
            onError(offset, code2, message);
          else
            throw new errors.YAMLParseError([offset, offset + 1], code2, message);
        };
        switch (token.type) {
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return resolveFlowScalar.resolveFlowScalar(token, strict, _onError);
          case "block-scalar":
            return resolveBlockScalar.resolveBlockScalar({ options: { strict } }, token, _onError);
        }
      }
      return null;
    }
    function createScalarToken(value, context3) {
      const { implicitKey = false, indent, inFlow = false, offset = -1, type = "PLAIN" } = context3;
      const source = stringifyString.stringifyString({ type, value }, {
        implicitKey,
        indent: indent > 0 ? " ".repeat(indent) : "",
        inFlow,
        options: { blockQuote: true, lineWidth: -1 }
      });
      const end = context3.end ?? [
        { type: "newline", offset: -1, indent, source: "\n" }
      ];
      switch (source[0]) {
        case "|":
        case ">": {
          const he = source.indexOf("\n");
          const head = source.substring(0, he);
          const body = source.substring(he + 1) + "\n";
          const props = [
            { type: "block-scalar-header", offset, indent, source: head }
          ];
          if (!addEndtoBlockProps(props, end))
            props.push({ type: "newline", offset: -1, indent, source: "\n" });
          return { type: "block-scalar", offset, indent, props, source: body };
        }
        case '"':
          return { type: "double-quoted-scalar", offset, indent, source, end };
        case "'":
          return { type: "single-quoted-scalar", offset, indent, source, end };
        default:
          return { type: "scalar", offset, indent, source, end };
      }
    }
    function setScalarValue(token, value, context3 = {}) {
      let { afterKey = false, implicitKey = false, inFlow = false, type } = context3;
      let indent = "indent" in token ? token.indent : null;
      if (afterKey && typeof indent === "number")
        indent += 2;
      if (!type)
        switch (token.type) {
          case "single-quoted-scalar":
            type = "QUOTE_SINGLE";
            break;
          case "double-quoted-scalar":
            type = "QUOTE_DOUBLE";
            break;
          case "block-scalar": {
            const header = token.props[0];
            if (header.type !== "block-scalar-header")
              throw new Error("Invalid block scalar header");
            type = header.source[0] === ">" ? "BLOCK_FOLDED" : "BLOCK_LITERAL";
            break;
          }
          default:
            type = "PLAIN";
        }
      const source = stringifyString.stringifyString({ type, value }, {
        implicitKey: implicitKey || indent === null,
        indent: indent !== null && indent > 0 ? " ".repeat(indent) : "",
        inFlow,
        options: { blockQuote: true, lineWidth: -1 }
      });
      switch (source[0]) {
        case "|":
        case ">":
          setBlockScalarValue(token, source);
          break;
        case '"':
          setFlowScalarValue(token, source, "double-quoted-scalar");
          break;
        case "'":
          setFlowScalarValue(token, source, "single-quoted-scalar");
          break;
        default:
          setFlowScalarValue(token, source, "scalar");
      }
    }
    function setBlockScalarValue(token, source) {
      const he = source.indexOf("\n");
      const head = source.substring(0, he);
      const body = source.substring(he + 1) + "\n";
      if (token.type === "block-scalar") {
        const header = token.props[0];
        if (header.type !== "block-scalar-header")
          throw new Error("Invalid block scalar header");
        header.source = head;
        token.source = body;
      } else {
        const { offset } = token;
        const indent = "indent" in token ? token.indent : -1;
        const props = [
          { type: "block-scalar-header", offset, indent, source: head }
        ];
        if (!addEndtoBlockProps(props, "end" in token ? token.end : void 0))
          props.push({ type: "newline", offset: -1, indent, source: "\n" });
        for (const key of Object.keys(token))
          if (key !== "type" && key !== "offset")
            delete token[key];
        Object.assign(token, { type: "block-scalar", indent, props, source: body });
      }
    }
    function addEndtoBlockProps(props, end) {
      if (end)
        for (const st of end)
          switch (st.type) {
            case "space":
            case "comment":
              props.push(st);
              break;
            case "newline":
              props.push(st);
              return true;
          }
      return false;
    }
    function setFlowScalarValue(token, source, type) {
      switch (token.type) {
        case "scalar":
        case "double-quoted-scalar":
        case "single-quoted-scalar":
          token.type = type;
          token.source = source;
          break;
        case "block-scalar": {
          const end = token.props.slice(1);
          let oa = source.length;
          if (token.props[0].type === "block-scalar-header")
            oa -= token.props[0].source.length;
          for (const tok of end)
            tok.offset += oa;
          delete token.props;
          Object.assign(token, { type, source, end });
          break;
        }
        case "block-map":
        case "block-seq": {
          const offset = token.offset + source.length;
          const nl = { type: "newline", offset, indent: token.indent, source: "\n" };
          delete token.items;
          Object.assign(token, { type, source, end: [nl] });
          break;
        }
        default: {
          const indent = "indent" in token ? token.indent : -1;
          const end = "end" in token && Array.isArray(token.end) ? token.end.filter((st) => st.type === "space" || st.type === "comment" || st.type === "newline") : [];
          for (const key of Object.keys(token))
            if (key !== "type" && key !== "offset")
              delete token[key];
          Object.assign(token, { type, indent, source, end });
        }
      }
    }
    exports.createScalarToken = createScalarToken;
    exports.resolveAsScalar = resolveAsScalar;
    exports.setScalarValue = setScalarValue;
  }
});

// node_modules/yaml/dist/parse/cst-stringify.js
var require_cst_stringify = __commonJS({
  "node_modules/yaml/dist/parse/cst-stringify.js"(exports) {
    "use strict";
    var stringify = (cst) => "type" in cst ? stringifyToken(cst) : stringifyItem(cst);
    function stringifyToken(token) {
      switch (token.type) {
        case "block-scalar": {
          let res = "";
          for (const tok of token.props)
            res += stringifyToken(tok);
          return res + token.source;
        }
        case "block-map":
        case "block-seq": {
          let res = "";
          for (const item of token.items)
            res += stringifyItem(item);
          return res;
        }
        case "flow-collection": {
          let res = token.start.source;
          for (const item of token.items)
            res += stringifyItem(item);
          for (const st of token.end)
            res += st.source;
          return res;
        }
        case "document": {
          let res = stringifyItem(token);
          if (token.end)
            for (const st of token.end)
              res += st.source;
          return res;
        }
        default: {
          let res = token.source;
          if ("end" in token && token.end)
            for (const st of token.end)
              res += st.source;
          return res;
        }
      }
    }
    function stringifyItem({ start, key, sep: sep2, value }) {
      let res = "";
      for (const st of start)
        res += st.source;
      if (key)
        res += stringifyToken(key);
      if (sep2)
        for (const st of sep2)
          res += st.source;
      if (value)
        res += stringifyToken(value);
      return res;
    }
    exports.stringify = stringify;
  }
});

// node_modules/yaml/dist/parse/cst-visit.js
var require_cst_visit = __commonJS({
  "node_modules/yaml/dist/parse/cst-visit.js"(exports) {
    "use strict";
    var BREAK = /* @__PURE__ */ Symbol("break visit");
    var SKIP = /* @__PURE__ */ Symbol("skip children");
    var REMOVE = /* @__PURE__ */ Symbol("remove item");
    function visit(cst, visitor) {
      if ("type" in cst && cst.type === "document")
        cst = { start: cst.start, value: cst.value };
      _visit(Object.freeze([]), cst, visitor);
    }
    visit.BREAK = BREAK;
    visit.SKIP = SKIP;
    visit.REMOVE = REMOVE;
    visit.itemAtPath = (cst, path) => {
      let item = cst;
      for (const [field, index] of path) {
        const tok = item?.[field];
        if (tok && "items" in tok) {
          item = tok.items[index];
        } else
          return void 0;
      }
      return item;
    };
    visit.parentCollection = (cst, path) => {
      const parent = visit.itemAtPath(cst, path.slice(0, -1));
      const field = path[path.length - 1][0];
      const coll = parent?.[field];
      if (coll && "items" in coll)
        return coll;
      throw new Error("Parent collection not found");
    };
    function _visit(path, item, visitor) {
      let ctrl = visitor(item, path);
      if (typeof ctrl === "symbol")
        return ctrl;
      for (const field of ["key", "value"]) {
        const token = item[field];
        if (token && "items" in token) {
          for (let i = 0; i < token.items.length; ++i) {
            const ci = _visit(Object.freeze(path.concat([[field, i]])), token.items[i], visitor);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              token.items.splice(i, 1);
              i -= 1;
            }
          }
          if (typeof ctrl === "function" && field === "key")
            ctrl = ctrl(item, path);
        }
      }
      return typeof ctrl === "function" ? ctrl(item, path) : ctrl;
    }
    exports.visit = visit;
  }
});

// node_modules/yaml/dist/parse/cst.js
var require_cst = __commonJS({
  "node_modules/yaml/dist/parse/cst.js"(exports) {
    "use strict";
    var cstScalar = require_cst_scalar();
    var cstStringify = require_cst_stringify();
    var cstVisit = require_cst_visit();
    var BOM = "\uFEFF";
    var DOCUMENT = "";
    var FLOW_END = "";
    var SCALAR = "";
    var isCollection = (token) => !!token && "items" in token;
    var isScalar = (token) => !!token && (token.type === "scalar" || token.type === "single-quoted-scalar" || token.type === "double-quoted-scalar" || token.type === "block-scalar");
    function prettyToken(token) {
      switch (token) {
        case BOM:
          return "<BOM>";
        case DOCUMENT:
          return "<DOC>";
        case FLOW_END:
          return "<FLOW_END>";
        case SCALAR:
          return "<SCALAR>";
        default:
          return JSON.stringify(token);
      }
    }
    function tokenType(source) {
      switch (source) {
        case BOM:
          return "byte-order-mark";
        case DOCUMENT:
          return "doc-mode";
        case FLOW_END:
          return "flow-error-end";
        case SCALAR:
          return "scalar";
        case "---":
          return "doc-start";
        case "...":
          return "doc-end";
        case "":
        case "\n":
        case "\r\n":
          return "newline";
        case "-":
          return "seq-item-ind";
        case "?":
          return "explicit-key-ind";
        case ":":
          return "map-value-ind";
        case "{":
          return "flow-map-start";
        case "}":
          return "flow-map-end";
        case "[":
          return "flow-seq-start";
        case "]":
          return "flow-seq-end";
        case ",":
          return "comma";
      }
      switch (source[0]) {
        case " ":
        case "	":
          return "space";
        case "#":
          return "comment";
        case "%":
          return "directive-line";
        case "*":
          return "alias";
        case "&":
          return "anchor";
        case "!":
          return "tag";
        case "'":
          return "single-quoted-scalar";
        case '"':
          return "double-quoted-scalar";
        case "|":
        case ">":
          return "block-scalar-header";
      }
      return null;
    }
    exports.createScalarToken = cstScalar.createScalarToken;
    exports.resolveAsScalar = cstScalar.resolveAsScalar;
    exports.setScalarValue = cstScalar.setScalarValue;
    exports.stringify = cstStringify.stringify;
    exports.visit = cstVisit.visit;
    exports.BOM = BOM;
    exports.DOCUMENT = DOCUMENT;
    exports.FLOW_END = FLOW_END;
    exports.SCALAR = SCALAR;
    exports.isCollection = isCollection;
    exports.isScalar = isScalar;
    exports.prettyToken = prettyToken;
    exports.tokenType = tokenType;
  }
});

// node_modules/yaml/dist/parse/lexer.js
var require_lexer = __commonJS({
  "node_modules/yaml/dist/parse/lexer.js"(exports) {
    "use strict";
    var cst = require_cst();
    function isEmpty(ch) {
      switch (ch) {
        case void 0:
        case " ":
        case "\n":
        case "\r":
        case "	":
          return true;
        default:
          return false;
      }
    }
    var hexDigits = new Set("0123456789ABCDEFabcdef");
    var tagChars = new Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#;/?:@&=+$_.!~*'()");
    var flowIndicatorChars = new Set(",[]{}");
    var invalidAnchorChars = new Set(" ,[]{}\n\r	");
    var isNotAnchorChar = (ch) => !ch || invalidAnchorChars.has(ch);
    var Lexer = class {
      constructor() {
        this.atEnd = false;
        this.blockScalarIndent = -1;
        this.blockScalarKeep = false;
        this.buffer = "";
        this.flowKey = false;
        this.flowLevel = 0;
        this.indentNext = 0;
        this.indentValue = 0;
        this.lineEndPos = null;
        this.next = null;
        this.pos = 0;
      }
      /**
       * Generate YAML tokens from the `source` string. If `incomplete`,
       * a part of the last line may be left as a buffer for the next call.
       *
       * @returns A generator of lexical tokens
       */
      *lex(source, incomplete = false) {
        if (source) {
          if (typeof source !== "string")
            throw TypeError("source is not a string");
          this.buffer = this.buffer ? this.buffer + source : source;
          this.lineEndPos = null;
        }
        this.atEnd = !incomplete;
        let next = this.next ?? "stream";
        while (next && (incomplete || this.hasChars(1)))
          next = yield* this.parseNext(next);
      }
      atLineEnd() {
        let i = this.pos;
        let ch = this.buffer[i];
        while (ch === " " || ch === "	")
          ch = this.buffer[++i];
        if (!ch || ch === "#" || ch === "\n")
          return true;
        if (ch === "\r")
          return this.buffer[i + 1] === "\n";
        return false;
      }
      charAt(n) {
        return this.buffer[this.pos + n];
      }
      continueScalar(offset) {
        let ch = this.buffer[offset];
        if (this.indentNext > 0) {
          let indent = 0;
          while (ch === " ")
            ch = this.buffer[++indent + offset];
          if (ch === "\r") {
            const next = this.buffer[indent + offset + 1];
            if (next === "\n" || !next && !this.atEnd)
              return offset + indent + 1;
          }
          return ch === "\n" || indent >= this.indentNext || !ch && !this.atEnd ? offset + indent : -1;
        }
        if (ch === "-" || ch === ".") {
          const dt = this.buffer.substr(offset, 3);
          if ((dt === "---" || dt === "...") && isEmpty(this.buffer[offset + 3]))
            return -1;
        }
        return offset;
      }
      getLine() {
        let end = this.lineEndPos;
        if (typeof end !== "number" || end !== -1 && end < this.pos) {
          end = this.buffer.indexOf("\n", this.pos);
          this.lineEndPos = end;
        }
        if (end === -1)
          return this.atEnd ? this.buffer.substring(this.pos) : null;
        if (this.buffer[end - 1] === "\r")
          end -= 1;
        return this.buffer.substring(this.pos, end);
      }
      hasChars(n) {
        return this.pos + n <= this.buffer.length;
      }
      setNext(state) {
        this.buffer = this.buffer.substring(this.pos);
        this.pos = 0;
        this.lineEndPos = null;
        this.next = state;
        return null;
      }
      peek(n) {
        return this.buffer.substr(this.pos, n);
      }
      *parseNext(next) {
        switch (next) {
          case "stream":
            return yield* this.parseStream();
          case "line-start":
            return yield* this.parseLineStart();
          case "block-start":
            return yield* this.parseBlockStart();
          case "doc":
            return yield* this.parseDocument();
          case "flow":
            return yield* this.parseFlowCollection();
          case "quoted-scalar":
            return yield* this.parseQuotedScalar();
          case "block-scalar":
            return yield* this.parseBlockScalar();
          case "plain-scalar":
            return yield* this.parsePlainScalar();
        }
      }
      *parseStream() {
        let line = this.getLine();
        if (line === null)
          return this.setNext("stream");
        if (line[0] === cst.BOM) {
          yield* this.pushCount(1);
          line = line.substring(1);
        }
        if (line[0] === "%") {
          let dirEnd = line.length;
          let cs = line.indexOf("#");
          while (cs !== -1) {
            const ch = line[cs - 1];
            if (ch === " " || ch === "	") {
              dirEnd = cs - 1;
              break;
            } else {
              cs = line.indexOf("#", cs + 1);
            }
          }
          while (true) {
            const ch = line[dirEnd - 1];
            if (ch === " " || ch === "	")
              dirEnd -= 1;
            else
              break;
          }
          const n = (yield* this.pushCount(dirEnd)) + (yield* this.pushSpaces(true));
          yield* this.pushCount(line.length - n);
          this.pushNewline();
          return "stream";
        }
        if (this.atLineEnd()) {
          const sp = yield* this.pushSpaces(true);
          yield* this.pushCount(line.length - sp);
          yield* this.pushNewline();
          return "stream";
        }
        yield cst.DOCUMENT;
        return yield* this.parseLineStart();
      }
      *parseLineStart() {
        const ch = this.charAt(0);
        if (!ch && !this.atEnd)
          return this.setNext("line-start");
        if (ch === "-" || ch === ".") {
          if (!this.atEnd && !this.hasChars(4))
            return this.setNext("line-start");
          const s = this.peek(3);
          if ((s === "---" || s === "...") && isEmpty(this.charAt(3))) {
            yield* this.pushCount(3);
            this.indentValue = 0;
            this.indentNext = 0;
            return s === "---" ? "doc" : "stream";
          }
        }
        this.indentValue = yield* this.pushSpaces(false);
        if (this.indentNext > this.indentValue && !isEmpty(this.charAt(1)))
          this.indentNext = this.indentValue;
        return yield* this.parseBlockStart();
      }
      *parseBlockStart() {
        const [ch0, ch1] = this.peek(2);
        if (!ch1 && !this.atEnd)
          return this.setNext("block-start");
        if ((ch0 === "-" || ch0 === "?" || ch0 === ":") && isEmpty(ch1)) {
          const n = (yield* this.pushCount(1)) + (yield* this.pushSpaces(true));
          this.indentNext = this.indentValue + 1;
          this.indentValue += n;
          return "block-start";
        }
        return "doc";
      }
      *parseDocument() {
        yield* this.pushSpaces(true);
        const line = this.getLine();
        if (line === null)
          return this.setNext("doc");
        let n = yield* this.pushIndicators();
        switch (line[n]) {
          case "#":
            yield* this.pushCount(line.length - n);
          // fallthrough
          case void 0:
            yield* this.pushNewline();
            return yield* this.parseLineStart();
          case "{":
          case "[":
            yield* this.pushCount(1);
            this.flowKey = false;
            this.flowLevel = 1;
            return "flow";
          case "}":
          case "]":
            yield* this.pushCount(1);
            return "doc";
          case "*":
            yield* this.pushUntil(isNotAnchorChar);
            return "doc";
          case '"':
          case "'":
            return yield* this.parseQuotedScalar();
          case "|":
          case ">":
            n += yield* this.parseBlockScalarHeader();
            n += yield* this.pushSpaces(true);
            yield* this.pushCount(line.length - n);
            yield* this.pushNewline();
            return yield* this.parseBlockScalar();
          default:
            return yield* this.parsePlainScalar();
        }
      }
      *parseFlowCollection() {
        let nl, sp;
        let indent = -1;
        do {
          nl = yield* this.pushNewline();
          if (nl > 0) {
            sp = yield* this.pushSpaces(false);
            this.indentValue = indent = sp;
          } else {
            sp = 0;
          }
          sp += yield* this.pushSpaces(true);
        } while (nl + sp > 0);
        const line = this.getLine();
        if (line === null)
          return this.setNext("flow");
        if (indent !== -1 && indent < this.indentNext && line[0] !== "#" || indent === 0 && (line.startsWith("---") || line.startsWith("...")) && isEmpty(line[3])) {
          const atFlowEndMarker = indent === this.indentNext - 1 && this.flowLevel === 1 && (line[0] === "]" || line[0] === "}");
          if (!atFlowEndMarker) {
            this.flowLevel = 0;
            yield cst.FLOW_END;
            return yield* this.parseLineStart();
          }
        }
        let n = 0;
        while (line[n] === ",") {
          n += yield* this.pushCount(1);
          n += yield* this.pushSpaces(true);
          this.flowKey = false;
        }
        n += yield* this.pushIndicators();
        switch (line[n]) {
          case void 0:
            return "flow";
          case "#":
            yield* this.pushCount(line.length - n);
            return "flow";
          case "{":
          case "[":
            yield* this.pushCount(1);
            this.flowKey = false;
            this.flowLevel += 1;
            return "flow";
          case "}":
          case "]":
            yield* this.pushCount(1);
            this.flowKey = true;
            this.flowLevel -= 1;
            return this.flowLevel ? "flow" : "doc";
          case "*":
            yield* this.pushUntil(isNotAnchorChar);
            return "flow";
          case '"':
          case "'":
            this.flowKey = true;
            return yield* this.parseQuotedScalar();
          case ":": {
            const next = this.charAt(1);
            if (this.flowKey || isEmpty(next) || next === ",") {
              this.flowKey = false;
              yield* this.pushCount(1);
              yield* this.pushSpaces(true);
              return "flow";
            }
          }
          // fallthrough
          default:
            this.flowKey = false;
            return yield* this.parsePlainScalar();
        }
      }
      *parseQuotedScalar() {
        const quote = this.charAt(0);
        let end = this.buffer.indexOf(quote, this.pos + 1);
        if (quote === "'") {
          while (end !== -1 && this.buffer[end + 1] === "'")
            end = this.buffer.indexOf("'", end + 2);
        } else {
          while (end !== -1) {
            let n = 0;
            while (this.buffer[end - 1 - n] === "\\")
              n += 1;
            if (n % 2 === 0)
              break;
            end = this.buffer.indexOf('"', end + 1);
          }
        }
        const qb = this.buffer.substring(0, end);
        let nl = qb.indexOf("\n", this.pos);
        if (nl !== -1) {
          while (nl !== -1) {
            const cs = this.continueScalar(nl + 1);
            if (cs === -1)
              break;
            nl = qb.indexOf("\n", cs);
          }
          if (nl !== -1) {
            end = nl - (qb[nl - 1] === "\r" ? 2 : 1);
          }
        }
        if (end === -1) {
          if (!this.atEnd)
            return this.setNext("quoted-scalar");
          end = this.buffer.length;
        }
        yield* this.pushToIndex(end + 1, false);
        return this.flowLevel ? "flow" : "doc";
      }
      *parseBlockScalarHeader() {
        this.blockScalarIndent = -1;
        this.blockScalarKeep = false;
        let i = this.pos;
        while (true) {
          const ch = this.buffer[++i];
          if (ch === "+")
            this.blockScalarKeep = true;
          else if (ch > "0" && ch <= "9")
            this.blockScalarIndent = Number(ch) - 1;
          else if (ch !== "-")
            break;
        }
        return yield* this.pushUntil((ch) => isEmpty(ch) || ch === "#");
      }
      *parseBlockScalar() {
        let nl = this.pos - 1;
        let indent = 0;
        let ch;
        loop: for (let i2 = this.pos; ch = this.buffer[i2]; ++i2) {
          switch (ch) {
            case " ":
              indent += 1;
              break;
            case "\n":
              nl = i2;
              indent = 0;
              break;
            case "\r": {
              const next = this.buffer[i2 + 1];
              if (!next && !this.atEnd)
                return this.setNext("block-scalar");
              if (next === "\n")
                break;
            }
            // fallthrough
            default:
              break loop;
          }
        }
        if (!ch && !this.atEnd)
          return this.setNext("block-scalar");
        if (indent >= this.indentNext) {
          if (this.blockScalarIndent === -1)
            this.indentNext = indent;
          else {
            this.indentNext = this.blockScalarIndent + (this.indentNext === 0 ? 1 : this.indentNext);
          }
          do {
            const cs = this.continueScalar(nl + 1);
            if (cs === -1)
              break;
            nl = this.buffer.indexOf("\n", cs);
          } while (nl !== -1);
          if (nl === -1) {
            if (!this.atEnd)
              return this.setNext("block-scalar");
            nl = this.buffer.length;
          }
        }
        let i = nl + 1;
        ch = this.buffer[i];
        while (ch === " ")
          ch = this.buffer[++i];
        if (ch === "	") {
          while (ch === "	" || ch === " " || ch === "\r" || ch === "\n")
            ch = this.buffer[++i];
          nl = i - 1;
        } else if (!this.blockScalarKeep) {
          do {
            let i2 = nl - 1;
            let ch2 = this.buffer[i2];
            if (ch2 === "\r")
              ch2 = this.buffer[--i2];
            const lastChar = i2;
            while (ch2 === " ")
              ch2 = this.buffer[--i2];
            if (ch2 === "\n" && i2 >= this.pos && i2 + 1 + indent > lastChar)
              nl = i2;
            else
              break;
          } while (true);
        }
        yield cst.SCALAR;
        yield* this.pushToIndex(nl + 1, true);
        return yield* this.parseLineStart();
      }
      *parsePlainScalar() {
        const inFlow = this.flowLevel > 0;
        let end = this.pos - 1;
        let i = this.pos - 1;
        let ch;
        while (ch = this.buffer[++i]) {
          if (ch === ":") {
            const next = this.buffer[i + 1];
            if (isEmpty(next) || inFlow && flowIndicatorChars.has(next))
              break;
            end = i;
          } else if (isEmpty(ch)) {
            let next = this.buffer[i + 1];
            if (ch === "\r") {
              if (next === "\n") {
                i += 1;
                ch = "\n";
                next = this.buffer[i + 1];
              } else
                end = i;
            }
            if (next === "#" || inFlow && flowIndicatorChars.has(next))
              break;
            if (ch === "\n") {
              const cs = this.continueScalar(i + 1);
              if (cs === -1)
                break;
              i = Math.max(i, cs - 2);
            }
          } else {
            if (inFlow && flowIndicatorChars.has(ch))
              break;
            end = i;
          }
        }
        if (!ch && !this.atEnd)
          return this.setNext("plain-scalar");
        yield cst.SCALAR;
        yield* this.pushToIndex(end + 1, true);
        return inFlow ? "flow" : "doc";
      }
      *pushCount(n) {
        if (n > 0) {
          yield this.buffer.substr(this.pos, n);
          this.pos += n;
          return n;
        }
        return 0;
      }
      *pushToIndex(i, allowEmpty) {
        const s = this.buffer.slice(this.pos, i);
        if (s) {
          yield s;
          this.pos += s.length;
          return s.length;
        } else if (allowEmpty)
          yield "";
        return 0;
      }
      *pushIndicators() {
        let n = 0;
        loop: while (true) {
          switch (this.charAt(0)) {
            case "!":
              n += yield* this.pushTag();
              n += yield* this.pushSpaces(true);
              continue loop;
            case "&":
              n += yield* this.pushUntil(isNotAnchorChar);
              n += yield* this.pushSpaces(true);
              continue loop;
            case "-":
            // this is an error
            case "?":
            // this is an error outside flow collections
            case ":": {
              const inFlow = this.flowLevel > 0;
              const ch1 = this.charAt(1);
              if (isEmpty(ch1) || inFlow && flowIndicatorChars.has(ch1)) {
                if (!inFlow)
                  this.indentNext = this.indentValue + 1;
                else if (this.flowKey)
                  this.flowKey = false;
                n += yield* this.pushCount(1);
                n += yield* this.pushSpaces(true);
                continue loop;
              }
            }
          }
          break loop;
        }
        return n;
      }
      *pushTag() {
        if (this.charAt(1) === "<") {
          let i = this.pos + 2;
          let ch = this.buffer[i];
          while (!isEmpty(ch) && ch !== ">")
            ch = this.buffer[++i];
          return yield* this.pushToIndex(ch === ">" ? i + 1 : i, false);
        } else {
          let i = this.pos + 1;
          let ch = this.buffer[i];
          while (ch) {
            if (tagChars.has(ch))
              ch = this.buffer[++i];
            else if (ch === "%" && hexDigits.has(this.buffer[i + 1]) && hexDigits.has(this.buffer[i + 2])) {
              ch = this.buffer[i += 3];
            } else
              break;
          }
          return yield* this.pushToIndex(i, false);
        }
      }
      *pushNewline() {
        const ch = this.buffer[this.pos];
        if (ch === "\n")
          return yield* this.pushCount(1);
        else if (ch === "\r" && this.charAt(1) === "\n")
          return yield* this.pushCount(2);
        else
          return 0;
      }
      *pushSpaces(allowTabs) {
        let i = this.pos - 1;
        let ch;
        do {
          ch = this.buffer[++i];
        } while (ch === " " || allowTabs && ch === "	");
        const n = i - this.pos;
        if (n > 0) {
          yield this.buffer.substr(this.pos, n);
          this.pos = i;
        }
        return n;
      }
      *pushUntil(test) {
        let i = this.pos;
        let ch = this.buffer[i];
        while (!test(ch))
          ch = this.buffer[++i];
        return yield* this.pushToIndex(i, false);
      }
    };
    exports.Lexer = Lexer;
  }
});

// node_modules/yaml/dist/parse/line-counter.js
var require_line_counter = __commonJS({
  "node_modules/yaml/dist/parse/line-counter.js"(exports) {
    "use strict";
    var LineCounter = class {
      constructor() {
        this.lineStarts = [];
        this.addNewLine = (offset) => this.lineStarts.push(offset);
        this.linePos = (offset) => {
          let low = 0;
          let high = this.lineStarts.length;
          while (low < high) {
            const mid = low + high >> 1;
            if (this.lineStarts[mid] < offset)
              low = mid + 1;
            else
              high = mid;
          }
          if (this.lineStarts[low] === offset)
            return { line: low + 1, col: 1 };
          if (low === 0)
            return { line: 0, col: offset };
          const start = this.lineStarts[low - 1];
          return { line: low, col: offset - start + 1 };
        };
      }
    };
    exports.LineCounter = LineCounter;
  }
});

// node_modules/yaml/dist/parse/parser.js
var require_parser = __commonJS({
  "node_modules/yaml/dist/parse/parser.js"(exports) {
    "use strict";
    var node_process = __require("process");
    var cst = require_cst();
    var lexer = require_lexer();
    function includesToken(list, type) {
      for (let i = 0; i < list.length; ++i)
        if (list[i].type === type)
          return true;
      return false;
    }
    function findNonEmptyIndex(list) {
      for (let i = 0; i < list.length; ++i) {
        switch (list[i].type) {
          case "space":
          case "comment":
          case "newline":
            break;
          default:
            return i;
        }
      }
      return -1;
    }
    function isFlowToken(token) {
      switch (token?.type) {
        case "alias":
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar":
        case "flow-collection":
          return true;
        default:
          return false;
      }
    }
    function getPrevProps(parent) {
      switch (parent.type) {
        case "document":
          return parent.start;
        case "block-map": {
          const it = parent.items[parent.items.length - 1];
          return it.sep ?? it.start;
        }
        case "block-seq":
          return parent.items[parent.items.length - 1].start;
        /* istanbul ignore next should not happen */
        default:
          return [];
      }
    }
    function getFirstKeyStartProps(prev) {
      if (prev.length === 0)
        return [];
      let i = prev.length;
      loop: while (--i >= 0) {
        switch (prev[i].type) {
          case "doc-start":
          case "explicit-key-ind":
          case "map-value-ind":
          case "seq-item-ind":
          case "newline":
            break loop;
        }
      }
      while (prev[++i]?.type === "space") {
      }
      return prev.splice(i, prev.length);
    }
    function arrayPushArray(target, source) {
      if (source.length < 1e5)
        Array.prototype.push.apply(target, source);
      else
        for (let i = 0; i < source.length; ++i)
          target.push(source[i]);
    }
    function fixFlowSeqItems(fc) {
      if (fc.start.type === "flow-seq-start") {
        for (const it of fc.items) {
          if (it.sep && !it.value && !includesToken(it.start, "explicit-key-ind") && !includesToken(it.sep, "map-value-ind")) {
            if (it.key)
              it.value = it.key;
            delete it.key;
            if (isFlowToken(it.value)) {
              if (it.value.end)
                arrayPushArray(it.value.end, it.sep);
              else
                it.value.end = it.sep;
            } else
              arrayPushArray(it.start, it.sep);
            delete it.sep;
          }
        }
      }
    }
    var Parser = class {
      /**
       * @param onNewLine - If defined, called separately with the start position of
       *   each new line (in `parse()`, including the start of input).
       */
      constructor(onNewLine) {
        this.atNewLine = true;
        this.atScalar = false;
        this.indent = 0;
        this.offset = 0;
        this.onKeyLine = false;
        this.stack = [];
        this.source = "";
        this.type = "";
        this.lexer = new lexer.Lexer();
        this.onNewLine = onNewLine;
      }
      /**
       * Parse `source` as a YAML stream.
       * If `incomplete`, a part of the last line may be left as a buffer for the next call.
       *
       * Errors are not thrown, but yielded as `{ type: 'error', message }` tokens.
       *
       * @returns A generator of tokens representing each directive, document, and other structure.
       */
      *parse(source, incomplete = false) {
        if (this.onNewLine && this.offset === 0)
          this.onNewLine(0);
        for (const lexeme of this.lexer.lex(source, incomplete))
          yield* this.next(lexeme);
        if (!incomplete)
          yield* this.end();
      }
      /**
       * Advance the parser by the `source` of one lexical token.
       */
      *next(source) {
        this.source = source;
        if (node_process.env.LOG_TOKENS)
          console.log("|", cst.prettyToken(source));
        if (this.atScalar) {
          this.atScalar = false;
          yield* this.step();
          this.offset += source.length;
          return;
        }
        const type = cst.tokenType(source);
        if (!type) {
          const message = `Not a YAML token: ${source}`;
          yield* this.pop({ type: "error", offset: this.offset, message, source });
          this.offset += source.length;
        } else if (type === "scalar") {
          this.atNewLine = false;
          this.atScalar = true;
          this.type = "scalar";
        } else {
          this.type = type;
          yield* this.step();
          switch (type) {
            case "newline":
              this.atNewLine = true;
              this.indent = 0;
              if (this.onNewLine)
                this.onNewLine(this.offset + source.length);
              break;
            case "space":
              if (this.atNewLine && source[0] === " ")
                this.indent += source.length;
              break;
            case "explicit-key-ind":
            case "map-value-ind":
            case "seq-item-ind":
              if (this.atNewLine)
                this.indent += source.length;
              break;
            case "doc-mode":
            case "flow-error-end":
              return;
            default:
              this.atNewLine = false;
          }
          this.offset += source.length;
        }
      }
      /** Call at end of input to push out any remaining constructions */
      *end() {
        while (this.stack.length > 0)
          yield* this.pop();
      }
      get sourceToken() {
        const st = {
          type: this.type,
          offset: this.offset,
          indent: this.indent,
          source: this.source
        };
        return st;
      }
      *step() {
        const top = this.peek(1);
        if (this.type === "doc-end" && top?.type !== "doc-end") {
          while (this.stack.length > 0)
            yield* this.pop();
          this.stack.push({
            type: "doc-end",
            offset: this.offset,
            source: this.source
          });
          return;
        }
        if (!top)
          return yield* this.stream();
        switch (top.type) {
          case "document":
            return yield* this.document(top);
          case "alias":
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return yield* this.scalar(top);
          case "block-scalar":
            return yield* this.blockScalar(top);
          case "block-map":
            return yield* this.blockMap(top);
          case "block-seq":
            return yield* this.blockSequence(top);
          case "flow-collection":
            return yield* this.flowCollection(top);
          case "doc-end":
            return yield* this.documentEnd(top);
        }
        yield* this.pop();
      }
      peek(n) {
        return this.stack[this.stack.length - n];
      }
      *pop(error2) {
        const token = error2 ?? this.stack.pop();
        if (!token) {
          const message = "Tried to pop an empty stack";
          yield { type: "error", offset: this.offset, source: "", message };
        } else if (this.stack.length === 0) {
          yield token;
        } else {
          const top = this.peek(1);
          if (token.type === "block-scalar") {
            token.indent = "indent" in top ? top.indent : 0;
          } else if (token.type === "flow-collection" && top.type === "document") {
            token.indent = 0;
          }
          if (token.type === "flow-collection")
            fixFlowSeqItems(token);
          switch (top.type) {
            case "document":
              top.value = token;
              break;
            case "block-scalar":
              top.props.push(token);
              break;
            case "block-map": {
              const it = top.items[top.items.length - 1];
              if (it.value) {
                top.items.push({ start: [], key: token, sep: [] });
                this.onKeyLine = true;
                return;
              } else if (it.sep) {
                it.value = token;
              } else {
                Object.assign(it, { key: token, sep: [] });
                this.onKeyLine = !it.explicitKey;
                return;
              }
              break;
            }
            case "block-seq": {
              const it = top.items[top.items.length - 1];
              if (it.value)
                top.items.push({ start: [], value: token });
              else
                it.value = token;
              break;
            }
            case "flow-collection": {
              const it = top.items[top.items.length - 1];
              if (!it || it.value)
                top.items.push({ start: [], key: token, sep: [] });
              else if (it.sep)
                it.value = token;
              else
                Object.assign(it, { key: token, sep: [] });
              return;
            }
            /* istanbul ignore next should not happen */
            default:
              yield* this.pop();
              yield* this.pop(token);
          }
          if ((top.type === "document" || top.type === "block-map" || top.type === "block-seq") && (token.type === "block-map" || token.type === "block-seq")) {
            const last = token.items[token.items.length - 1];
            if (last && !last.sep && !last.value && last.start.length > 0 && findNonEmptyIndex(last.start) === -1 && (token.indent === 0 || last.start.every((st) => st.type !== "comment" || st.indent < token.indent))) {
              if (top.type === "document")
                top.end = last.start;
              else
                top.items.push({ start: last.start });
              token.items.splice(-1, 1);
            }
          }
        }
      }
      *stream() {
        switch (this.type) {
          case "directive-line":
            yield { type: "directive", offset: this.offset, source: this.source };
            return;
          case "byte-order-mark":
          case "space":
          case "comment":
          case "newline":
            yield this.sourceToken;
            return;
          case "doc-mode":
          case "doc-start": {
            const doc = {
              type: "document",
              offset: this.offset,
              start: []
            };
            if (this.type === "doc-start")
              doc.start.push(this.sourceToken);
            this.stack.push(doc);
            return;
          }
        }
        yield {
          type: "error",
          offset: this.offset,
          message: `Unexpected ${this.type} token in YAML stream`,
          source: this.source
        };
      }
      *document(doc) {
        if (doc.value)
          return yield* this.lineEnd(doc);
        switch (this.type) {
          case "doc-start": {
            if (findNonEmptyIndex(doc.start) !== -1) {
              yield* this.pop();
              yield* this.step();
            } else
              doc.start.push(this.sourceToken);
            return;
          }
          case "anchor":
          case "tag":
          case "space":
          case "comment":
          case "newline":
            doc.start.push(this.sourceToken);
            return;
        }
        const bv = this.startBlockValue(doc);
        if (bv)
          this.stack.push(bv);
        else {
          yield {
            type: "error",
            offset: this.offset,
            message: `Unexpected ${this.type} token in YAML document`,
            source: this.source
          };
        }
      }
      *scalar(scalar) {
        if (this.type === "map-value-ind") {
          const prev = getPrevProps(this.peek(2));
          const start = getFirstKeyStartProps(prev);
          let sep2;
          if (scalar.end) {
            sep2 = scalar.end;
            sep2.push(this.sourceToken);
            delete scalar.end;
          } else
            sep2 = [this.sourceToken];
          const map = {
            type: "block-map",
            offset: scalar.offset,
            indent: scalar.indent,
            items: [{ start, key: scalar, sep: sep2 }]
          };
          this.onKeyLine = true;
          this.stack[this.stack.length - 1] = map;
        } else
          yield* this.lineEnd(scalar);
      }
      *blockScalar(scalar) {
        switch (this.type) {
          case "space":
          case "comment":
          case "newline":
            scalar.props.push(this.sourceToken);
            return;
          case "scalar":
            scalar.source = this.source;
            this.atNewLine = true;
            this.indent = 0;
            if (this.onNewLine) {
              let nl = this.source.indexOf("\n") + 1;
              while (nl !== 0) {
                this.onNewLine(this.offset + nl);
                nl = this.source.indexOf("\n", nl) + 1;
              }
            }
            yield* this.pop();
            break;
          /* istanbul ignore next should not happen */
          default:
            yield* this.pop();
            yield* this.step();
        }
      }
      *blockMap(map) {
        const it = map.items[map.items.length - 1];
        switch (this.type) {
          case "newline":
            this.onKeyLine = false;
            if (it.value) {
              const end = "end" in it.value ? it.value.end : void 0;
              const last = Array.isArray(end) ? end[end.length - 1] : void 0;
              if (last?.type === "comment")
                end?.push(this.sourceToken);
              else
                map.items.push({ start: [this.sourceToken] });
            } else if (it.sep) {
              it.sep.push(this.sourceToken);
            } else {
              it.start.push(this.sourceToken);
            }
            return;
          case "space":
          case "comment":
            if (it.value) {
              map.items.push({ start: [this.sourceToken] });
            } else if (it.sep) {
              it.sep.push(this.sourceToken);
            } else {
              if (this.atIndentedComment(it.start, map.indent)) {
                const prev = map.items[map.items.length - 2];
                const end = prev?.value?.end;
                if (Array.isArray(end)) {
                  arrayPushArray(end, it.start);
                  end.push(this.sourceToken);
                  map.items.pop();
                  return;
                }
              }
              it.start.push(this.sourceToken);
            }
            return;
        }
        if (this.indent >= map.indent) {
          const atMapIndent = !this.onKeyLine && this.indent === map.indent;
          const atNextItem = atMapIndent && (it.sep || it.explicitKey) && this.type !== "seq-item-ind";
          let start = [];
          if (atNextItem && it.sep && !it.value) {
            const nl = [];
            for (let i = 0; i < it.sep.length; ++i) {
              const st = it.sep[i];
              switch (st.type) {
                case "newline":
                  nl.push(i);
                  break;
                case "space":
                  break;
                case "comment":
                  if (st.indent > map.indent)
                    nl.length = 0;
                  break;
                default:
                  nl.length = 0;
              }
            }
            if (nl.length >= 2)
              start = it.sep.splice(nl[1]);
          }
          switch (this.type) {
            case "anchor":
            case "tag":
              if (atNextItem || it.value) {
                start.push(this.sourceToken);
                map.items.push({ start });
                this.onKeyLine = true;
              } else if (it.sep) {
                it.sep.push(this.sourceToken);
              } else {
                it.start.push(this.sourceToken);
              }
              return;
            case "explicit-key-ind":
              if (!it.sep && !it.explicitKey) {
                it.start.push(this.sourceToken);
                it.explicitKey = true;
              } else if (atNextItem || it.value) {
                start.push(this.sourceToken);
                map.items.push({ start, explicitKey: true });
              } else {
                this.stack.push({
                  type: "block-map",
                  offset: this.offset,
                  indent: this.indent,
                  items: [{ start: [this.sourceToken], explicitKey: true }]
                });
              }
              this.onKeyLine = true;
              return;
            case "map-value-ind":
              if (it.explicitKey) {
                if (!it.sep) {
                  if (includesToken(it.start, "newline")) {
                    Object.assign(it, { key: null, sep: [this.sourceToken] });
                  } else {
                    const start2 = getFirstKeyStartProps(it.start);
                    this.stack.push({
                      type: "block-map",
                      offset: this.offset,
                      indent: this.indent,
                      items: [{ start: start2, key: null, sep: [this.sourceToken] }]
                    });
                  }
                } else if (it.value) {
                  map.items.push({ start: [], key: null, sep: [this.sourceToken] });
                } else if (includesToken(it.sep, "map-value-ind")) {
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start, key: null, sep: [this.sourceToken] }]
                  });
                } else if (isFlowToken(it.key) && !includesToken(it.sep, "newline")) {
                  const start2 = getFirstKeyStartProps(it.start);
                  const key = it.key;
                  const sep2 = it.sep;
                  sep2.push(this.sourceToken);
                  delete it.key;
                  delete it.sep;
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start: start2, key, sep: sep2 }]
                  });
                } else if (start.length > 0) {
                  it.sep = it.sep.concat(start, this.sourceToken);
                } else {
                  it.sep.push(this.sourceToken);
                }
              } else {
                if (!it.sep) {
                  Object.assign(it, { key: null, sep: [this.sourceToken] });
                } else if (it.value || atNextItem) {
                  map.items.push({ start, key: null, sep: [this.sourceToken] });
                } else if (includesToken(it.sep, "map-value-ind")) {
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start: [], key: null, sep: [this.sourceToken] }]
                  });
                } else {
                  it.sep.push(this.sourceToken);
                }
              }
              this.onKeyLine = true;
              return;
            case "alias":
            case "scalar":
            case "single-quoted-scalar":
            case "double-quoted-scalar": {
              const fs2 = this.flowScalar(this.type);
              if (atNextItem || it.value) {
                map.items.push({ start, key: fs2, sep: [] });
                this.onKeyLine = true;
              } else if (it.sep) {
                this.stack.push(fs2);
              } else {
                Object.assign(it, { key: fs2, sep: [] });
                this.onKeyLine = true;
              }
              return;
            }
            default: {
              const bv = this.startBlockValue(map);
              if (bv) {
                if (bv.type === "block-seq") {
                  if (!it.explicitKey && it.sep && !includesToken(it.sep, "newline")) {
                    yield* this.pop({
                      type: "error",
                      offset: this.offset,
                      message: "Unexpected block-seq-ind on same line with key",
                      source: this.source
                    });
                    return;
                  }
                } else if (atMapIndent) {
                  map.items.push({ start });
                }
                this.stack.push(bv);
                return;
              }
            }
          }
        }
        yield* this.pop();
        yield* this.step();
      }
      *blockSequence(seq) {
        const it = seq.items[seq.items.length - 1];
        switch (this.type) {
          case "newline":
            if (it.value) {
              const end = "end" in it.value ? it.value.end : void 0;
              const last = Array.isArray(end) ? end[end.length - 1] : void 0;
              if (last?.type === "comment")
                end?.push(this.sourceToken);
              else
                seq.items.push({ start: [this.sourceToken] });
            } else
              it.start.push(this.sourceToken);
            return;
          case "space":
          case "comment":
            if (it.value)
              seq.items.push({ start: [this.sourceToken] });
            else {
              if (this.atIndentedComment(it.start, seq.indent)) {
                const prev = seq.items[seq.items.length - 2];
                const end = prev?.value?.end;
                if (Array.isArray(end)) {
                  arrayPushArray(end, it.start);
                  end.push(this.sourceToken);
                  seq.items.pop();
                  return;
                }
              }
              it.start.push(this.sourceToken);
            }
            return;
          case "anchor":
          case "tag":
            if (it.value || this.indent <= seq.indent)
              break;
            it.start.push(this.sourceToken);
            return;
          case "seq-item-ind":
            if (this.indent !== seq.indent)
              break;
            if (it.value || includesToken(it.start, "seq-item-ind"))
              seq.items.push({ start: [this.sourceToken] });
            else
              it.start.push(this.sourceToken);
            return;
        }
        if (this.indent > seq.indent) {
          const bv = this.startBlockValue(seq);
          if (bv) {
            this.stack.push(bv);
            return;
          }
        }
        yield* this.pop();
        yield* this.step();
      }
      *flowCollection(fc) {
        const it = fc.items[fc.items.length - 1];
        if (this.type === "flow-error-end") {
          let top;
          do {
            yield* this.pop();
            top = this.peek(1);
          } while (top?.type === "flow-collection");
        } else if (fc.end.length === 0) {
          switch (this.type) {
            case "comma":
            case "explicit-key-ind":
              if (!it || it.sep)
                fc.items.push({ start: [this.sourceToken] });
              else
                it.start.push(this.sourceToken);
              return;
            case "map-value-ind":
              if (!it || it.value)
                fc.items.push({ start: [], key: null, sep: [this.sourceToken] });
              else if (it.sep)
                it.sep.push(this.sourceToken);
              else
                Object.assign(it, { key: null, sep: [this.sourceToken] });
              return;
            case "space":
            case "comment":
            case "newline":
            case "anchor":
            case "tag":
              if (!it || it.value)
                fc.items.push({ start: [this.sourceToken] });
              else if (it.sep)
                it.sep.push(this.sourceToken);
              else
                it.start.push(this.sourceToken);
              return;
            case "alias":
            case "scalar":
            case "single-quoted-scalar":
            case "double-quoted-scalar": {
              const fs2 = this.flowScalar(this.type);
              if (!it || it.value)
                fc.items.push({ start: [], key: fs2, sep: [] });
              else if (it.sep)
                this.stack.push(fs2);
              else
                Object.assign(it, { key: fs2, sep: [] });
              return;
            }
            case "flow-map-end":
            case "flow-seq-end":
              fc.end.push(this.sourceToken);
              return;
          }
          const bv = this.startBlockValue(fc);
          if (bv)
            this.stack.push(bv);
          else {
            yield* this.pop();
            yield* this.step();
          }
        } else {
          const parent = this.peek(2);
          if (parent.type === "block-map" && (this.type === "map-value-ind" && parent.indent === fc.indent || this.type === "newline" && !parent.items[parent.items.length - 1].sep)) {
            yield* this.pop();
            yield* this.step();
          } else if (this.type === "map-value-ind" && parent.type !== "flow-collection") {
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            fixFlowSeqItems(fc);
            const sep2 = fc.end.splice(1, fc.end.length);
            sep2.push(this.sourceToken);
            const map = {
              type: "block-map",
              offset: fc.offset,
              indent: fc.indent,
              items: [{ start, key: fc, sep: sep2 }]
            };
            this.onKeyLine = true;
            this.stack[this.stack.length - 1] = map;
          } else {
            yield* this.lineEnd(fc);
          }
        }
      }
      flowScalar(type) {
        if (this.onNewLine) {
          let nl = this.source.indexOf("\n") + 1;
          while (nl !== 0) {
            this.onNewLine(this.offset + nl);
            nl = this.source.indexOf("\n", nl) + 1;
          }
        }
        return {
          type,
          offset: this.offset,
          indent: this.indent,
          source: this.source
        };
      }
      startBlockValue(parent) {
        switch (this.type) {
          case "alias":
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return this.flowScalar(this.type);
          case "block-scalar-header":
            return {
              type: "block-scalar",
              offset: this.offset,
              indent: this.indent,
              props: [this.sourceToken],
              source: ""
            };
          case "flow-map-start":
          case "flow-seq-start":
            return {
              type: "flow-collection",
              offset: this.offset,
              indent: this.indent,
              start: this.sourceToken,
              items: [],
              end: []
            };
          case "seq-item-ind":
            return {
              type: "block-seq",
              offset: this.offset,
              indent: this.indent,
              items: [{ start: [this.sourceToken] }]
            };
          case "explicit-key-ind": {
            this.onKeyLine = true;
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            start.push(this.sourceToken);
            return {
              type: "block-map",
              offset: this.offset,
              indent: this.indent,
              items: [{ start, explicitKey: true }]
            };
          }
          case "map-value-ind": {
            this.onKeyLine = true;
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            return {
              type: "block-map",
              offset: this.offset,
              indent: this.indent,
              items: [{ start, key: null, sep: [this.sourceToken] }]
            };
          }
        }
        return null;
      }
      atIndentedComment(start, indent) {
        if (this.type !== "comment")
          return false;
        if (this.indent <= indent)
          return false;
        return start.every((st) => st.type === "newline" || st.type === "space");
      }
      *documentEnd(docEnd) {
        if (this.type !== "doc-mode") {
          if (docEnd.end)
            docEnd.end.push(this.sourceToken);
          else
            docEnd.end = [this.sourceToken];
          if (this.type === "newline")
            yield* this.pop();
        }
      }
      *lineEnd(token) {
        switch (this.type) {
          case "comma":
          case "doc-start":
          case "doc-end":
          case "flow-seq-end":
          case "flow-map-end":
          case "map-value-ind":
            yield* this.pop();
            yield* this.step();
            break;
          case "newline":
            this.onKeyLine = false;
          // fallthrough
          case "space":
          case "comment":
          default:
            if (token.end)
              token.end.push(this.sourceToken);
            else
              token.end = [this.sourceToken];
            if (this.type === "newline")
              yield* this.pop();
        }
      }
    };
    exports.Parser = Parser;
  }
});

// node_modules/yaml/dist/public-api.js
var require_public_api = __commonJS({
  "node_modules/yaml/dist/public-api.js"(exports) {
    "use strict";
    var composer = require_composer();
    var Document = require_Document();
    var errors = require_errors();
    var log = require_log();
    var identity2 = require_identity();
    var lineCounter = require_line_counter();
    var parser = require_parser();
    function parseOptions(options) {
      const prettyErrors = options.prettyErrors !== false;
      const lineCounter$1 = options.lineCounter || prettyErrors && new lineCounter.LineCounter() || null;
      return { lineCounter: lineCounter$1, prettyErrors };
    }
    function parseAllDocuments(source, options = {}) {
      const { lineCounter: lineCounter2, prettyErrors } = parseOptions(options);
      const parser$1 = new parser.Parser(lineCounter2?.addNewLine);
      const composer$1 = new composer.Composer(options);
      const docs = Array.from(composer$1.compose(parser$1.parse(source)));
      if (prettyErrors && lineCounter2)
        for (const doc of docs) {
          doc.errors.forEach(errors.prettifyError(source, lineCounter2));
          doc.warnings.forEach(errors.prettifyError(source, lineCounter2));
        }
      if (docs.length > 0)
        return docs;
      return Object.assign([], { empty: true }, composer$1.streamInfo());
    }
    function parseDocument(source, options = {}) {
      const { lineCounter: lineCounter2, prettyErrors } = parseOptions(options);
      const parser$1 = new parser.Parser(lineCounter2?.addNewLine);
      const composer$1 = new composer.Composer(options);
      let doc = null;
      for (const _doc of composer$1.compose(parser$1.parse(source), true, source.length)) {
        if (!doc)
          doc = _doc;
        else if (doc.options.logLevel !== "silent") {
          doc.errors.push(new errors.YAMLParseError(_doc.range.slice(0, 2), "MULTIPLE_DOCS", "Source contains multiple documents; please use YAML.parseAllDocuments()"));
          break;
        }
      }
      if (prettyErrors && lineCounter2) {
        doc.errors.forEach(errors.prettifyError(source, lineCounter2));
        doc.warnings.forEach(errors.prettifyError(source, lineCounter2));
      }
      return doc;
    }
    function parse3(src, reviver, options) {
      let _reviver = void 0;
      if (typeof reviver === "function") {
        _reviver = reviver;
      } else if (options === void 0 && reviver && typeof reviver === "object") {
        options = reviver;
      }
      const doc = parseDocument(src, options);
      if (!doc)
        return null;
      doc.warnings.forEach((warning2) => log.warn(doc.options.logLevel, warning2));
      if (doc.errors.length > 0) {
        if (doc.options.logLevel !== "silent")
          throw doc.errors[0];
        else
          doc.errors = [];
      }
      return doc.toJS(Object.assign({ reviver: _reviver }, options));
    }
    function stringify(value, replacer, options) {
      let _replacer = null;
      if (typeof replacer === "function" || Array.isArray(replacer)) {
        _replacer = replacer;
      } else if (options === void 0 && replacer) {
        options = replacer;
      }
      if (typeof options === "string")
        options = options.length;
      if (typeof options === "number") {
        const indent = Math.round(options);
        options = indent < 1 ? void 0 : indent > 8 ? { indent: 8 } : { indent };
      }
      if (value === void 0) {
        const { keepUndefined } = options ?? replacer ?? {};
        if (!keepUndefined)
          return void 0;
      }
      if (identity2.isDocument(value) && !_replacer)
        return value.toString(options);
      return new Document.Document(value, _replacer, options).toString(options);
    }
    exports.parse = parse3;
    exports.parseAllDocuments = parseAllDocuments;
    exports.parseDocument = parseDocument;
    exports.stringify = stringify;
  }
});

// node_modules/yaml/dist/index.js
var require_dist = __commonJS({
  "node_modules/yaml/dist/index.js"(exports) {
    "use strict";
    var composer = require_composer();
    var Document = require_Document();
    var Schema = require_Schema();
    var errors = require_errors();
    var Alias = require_Alias();
    var identity2 = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var cst = require_cst();
    var lexer = require_lexer();
    var lineCounter = require_line_counter();
    var parser = require_parser();
    var publicApi = require_public_api();
    var visit = require_visit();
    exports.Composer = composer.Composer;
    exports.Document = Document.Document;
    exports.Schema = Schema.Schema;
    exports.YAMLError = errors.YAMLError;
    exports.YAMLParseError = errors.YAMLParseError;
    exports.YAMLWarning = errors.YAMLWarning;
    exports.Alias = Alias.Alias;
    exports.isAlias = identity2.isAlias;
    exports.isCollection = identity2.isCollection;
    exports.isDocument = identity2.isDocument;
    exports.isMap = identity2.isMap;
    exports.isNode = identity2.isNode;
    exports.isPair = identity2.isPair;
    exports.isScalar = identity2.isScalar;
    exports.isSeq = identity2.isSeq;
    exports.Pair = Pair.Pair;
    exports.Scalar = Scalar.Scalar;
    exports.YAMLMap = YAMLMap.YAMLMap;
    exports.YAMLSeq = YAMLSeq.YAMLSeq;
    exports.CST = cst;
    exports.Lexer = lexer.Lexer;
    exports.LineCounter = lineCounter.LineCounter;
    exports.Parser = parser.Parser;
    exports.parse = publicApi.parse;
    exports.parseAllDocuments = publicApi.parseAllDocuments;
    exports.parseDocument = publicApi.parseDocument;
    exports.stringify = publicApi.stringify;
    exports.visit = visit.visit;
    exports.visitAsync = visit.visitAsync;
  }
});

// src/action/main.ts
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

// node_modules/@actions/core/lib/command.js
import * as os from "os";

// node_modules/@actions/core/lib/utils.js
function toCommandValue(input) {
  if (input === null || input === void 0) {
    return "";
  } else if (typeof input === "string" || input instanceof String) {
    return input;
  }
  return JSON.stringify(input);
}
function toCommandProperties(annotationProperties) {
  if (!Object.keys(annotationProperties).length) {
    return {};
  }
  return {
    title: annotationProperties.title,
    file: annotationProperties.file,
    line: annotationProperties.startLine,
    endLine: annotationProperties.endLine,
    col: annotationProperties.startColumn,
    endColumn: annotationProperties.endColumn
  };
}

// node_modules/@actions/core/lib/command.js
function issueCommand(command, properties, message) {
  const cmd = new Command(command, properties, message);
  process.stdout.write(cmd.toString() + os.EOL);
}
var CMD_STRING = "::";
var Command = class {
  constructor(command, properties, message) {
    if (!command) {
      command = "missing.command";
    }
    this.command = command;
    this.properties = properties;
    this.message = message;
  }
  toString() {
    let cmdStr = CMD_STRING + this.command;
    if (this.properties && Object.keys(this.properties).length > 0) {
      cmdStr += " ";
      let first = true;
      for (const key in this.properties) {
        if (this.properties.hasOwnProperty(key)) {
          const val = this.properties[key];
          if (val) {
            if (first) {
              first = false;
            } else {
              cmdStr += ",";
            }
            cmdStr += `${key}=${escapeProperty(val)}`;
          }
        }
      }
    }
    cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
    return cmdStr;
  }
};
function escapeData(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
function escapeProperty(s) {
  return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/:/g, "%3A").replace(/,/g, "%2C");
}

// node_modules/@actions/core/lib/file-command.js
import * as crypto from "crypto";
import * as fs from "fs";
import * as os2 from "os";
function issueFileCommand(command, message) {
  const filePath = process.env[`GITHUB_${command}`];
  if (!filePath) {
    throw new Error(`Unable to find environment variable for file command ${command}`);
  }
  if (!fs.existsSync(filePath)) {
    throw new Error(`Missing file at path: ${filePath}`);
  }
  fs.appendFileSync(filePath, `${toCommandValue(message)}${os2.EOL}`, {
    encoding: "utf8"
  });
}
function prepareKeyValueMessage(key, value) {
  const delimiter = `ghadelimiter_${crypto.randomUUID()}`;
  const convertedValue = toCommandValue(value);
  if (key.includes(delimiter)) {
    throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
  }
  if (convertedValue.includes(delimiter)) {
    throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
  }
  return `${key}<<${delimiter}${os2.EOL}${convertedValue}${os2.EOL}${delimiter}`;
}

// node_modules/@actions/core/lib/core.js
import * as os3 from "os";
var ExitCode;
(function(ExitCode2) {
  ExitCode2[ExitCode2["Success"] = 0] = "Success";
  ExitCode2[ExitCode2["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
function setSecret(secret) {
  issueCommand("add-mask", {}, secret);
}
function getInput(name, options) {
  const val = process.env[`INPUT_${name.replace(/ /g, "_").toUpperCase()}`] || "";
  if (options && options.required && !val) {
    throw new Error(`Input required and not supplied: ${name}`);
  }
  if (options && options.trimWhitespace === false) {
    return val;
  }
  return val.trim();
}
function setOutput(name, value) {
  const filePath = process.env["GITHUB_OUTPUT"] || "";
  if (filePath) {
    return issueFileCommand("OUTPUT", prepareKeyValueMessage(name, value));
  }
  process.stdout.write(os3.EOL);
  issueCommand("set-output", { name }, toCommandValue(value));
}
function debug(message) {
  issueCommand("debug", {}, message);
}
function error(message, properties = {}) {
  issueCommand("error", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function warning(message, properties = {}) {
  issueCommand("warning", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function notice(message, properties = {}) {
  issueCommand("notice", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function info(message) {
  process.stdout.write(message + os3.EOL);
}

// node_modules/@actions/github/lib/context.js
import { readFileSync, existsSync as existsSync2 } from "fs";
import { EOL as EOL4 } from "os";
var Context = class {
  /**
   * Hydrate the context from the environment
   */
  constructor() {
    var _a, _b, _c;
    this.payload = {};
    if (process.env.GITHUB_EVENT_PATH) {
      if (existsSync2(process.env.GITHUB_EVENT_PATH)) {
        this.payload = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, { encoding: "utf8" }));
      } else {
        const path = process.env.GITHUB_EVENT_PATH;
        process.stdout.write(`GITHUB_EVENT_PATH ${path} does not exist${EOL4}`);
      }
    }
    this.eventName = process.env.GITHUB_EVENT_NAME;
    this.sha = process.env.GITHUB_SHA;
    this.ref = process.env.GITHUB_REF;
    this.workflow = process.env.GITHUB_WORKFLOW;
    this.action = process.env.GITHUB_ACTION;
    this.actor = process.env.GITHUB_ACTOR;
    this.job = process.env.GITHUB_JOB;
    this.runAttempt = parseInt(process.env.GITHUB_RUN_ATTEMPT, 10);
    this.runNumber = parseInt(process.env.GITHUB_RUN_NUMBER, 10);
    this.runId = parseInt(process.env.GITHUB_RUN_ID, 10);
    this.apiUrl = (_a = process.env.GITHUB_API_URL) !== null && _a !== void 0 ? _a : `https://api.github.com`;
    this.serverUrl = (_b = process.env.GITHUB_SERVER_URL) !== null && _b !== void 0 ? _b : `https://github.com`;
    this.graphqlUrl = (_c = process.env.GITHUB_GRAPHQL_URL) !== null && _c !== void 0 ? _c : `https://api.github.com/graphql`;
  }
  get issue() {
    const payload = this.payload;
    return Object.assign(Object.assign({}, this.repo), { number: (payload.issue || payload.pull_request || payload).number });
  }
  get repo() {
    if (process.env.GITHUB_REPOSITORY) {
      const [owner, repo] = process.env.GITHUB_REPOSITORY.split("/");
      return { owner, repo };
    }
    if (this.payload.repository) {
      return {
        owner: this.payload.repository.owner.login,
        repo: this.payload.repository.name
      };
    }
    throw new Error("context.repo requires a GITHUB_REPOSITORY environment variable like 'owner/repo'");
  }
};

// node_modules/@actions/github/lib/github.js
var context = new Context();

// src/action/actions-runner.ts
import { appendFile } from "node:fs/promises";
var maxSummaryBytes = 1e6;
var annotations = { notice, warning, error };
var minPartLength = 24;
function longParts(secret) {
  return secret.includes(".") ? secret.split(".").filter((part) => part.length >= minPartLength) : [];
}
var oneLine = (text2) => text2.replaceAll(new RegExp("\\p{Cc}+", "gu"), " ");
function createActionsRunner(summaryFile, isVerbose) {
  const secrets = [];
  const clean = (text2) => secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, "***"), text2);
  return {
    mask(secret) {
      for (const part of [secret, ...longParts(secret)]) {
        setSecret(part);
        secrets.push(part);
      }
    },
    log(line) {
      info(oneLine(clean(line)));
    },
    detail(line) {
      (isVerbose ? info : debug)(oneLine(clean(line)));
    },
    annotate(level, title, message) {
      annotations[level](clean(message), { title: `Trainyard: ${clean(title)}` });
    },
    output(name, value) {
      setOutput(name, clean(value));
    },
    async summarise(markdown) {
      if (!summaryFile) return;
      const bytes = Buffer.from(`${clean(markdown)}
`);
      try {
        await appendFile(summaryFile, bytes.subarray(0, maxSummaryBytes));
      } catch (cause) {
        warning(`The summary could not be written: ${String(cause)}`);
      }
    }
  };
}

// src/action/child-process.ts
import { spawn } from "node:child_process";
import { once } from "node:events";
var ProgramFailed = class extends Error {
  name = "ProgramFailed";
  isMissing;
  exit;
  constructor(message, exit, isMissing = false) {
    super(message);
    this.exit = exit;
    this.isMissing = isMissing;
  }
};
var hasProcessGroups = process.platform !== "win32";
var keptStderr = 4096;
function itemsPrintedBy(program, separator2, stderr) {
  return splitItems(printedBy(program, stderr), separator2);
}
async function jsonPrintedBy(program) {
  const chunks = [];
  for await (const chunk of printedBy(program, "keep")) chunks.push(chunk);
  const text2 = Buffer.concat(chunks).toString();
  try {
    return JSON.parse(text2);
  } catch {
    throw new ProgramFailed(`${program.label} printed this instead of JSON: ${text2.slice(0, 200)}`, null);
  }
}
async function* printedBy(program, stderr) {
  const { file, args, cwd, env: env2, signal, input } = program;
  const stdin = input === void 0 ? "ignore" : "pipe";
  const stdio = [stdin, "pipe", stderr === "log" ? "inherit" : "pipe"];
  const child = spawn(file, args, { cwd, env: env2, stdio, detached: hasProcessGroups });
  const exit = exitOf(child);
  const end = () => endGroup(child);
  let isOver = false;
  signal.addEventListener("abort", end, { once: true });
  try {
    await started(child, program);
    signal.throwIfAborted();
    child.stdin?.on("error", () => {
    }).end(input);
    if (child.stdout) yield* child.stdout;
    const ended = await exit;
    isOver = true;
    if (ended.code !== 0) throw new ProgramFailed(failureText(program, ended), ended);
  } catch (error2) {
    signal.throwIfAborted();
    throw error2;
  } finally {
    signal.removeEventListener("abort", end);
    if (!isOver) end();
  }
}
async function runVisibly(program) {
  const { file, args, cwd, env: env2, signal } = program;
  const child = spawn(file, args, {
    cwd,
    env: env2,
    stdio: ["ignore", "inherit", "inherit"],
    detached: hasProcessGroups
  });
  const exit = exitOf(child);
  const end = () => endGroup(child);
  signal.addEventListener("abort", end, { once: true });
  try {
    await started(child, program);
    if (signal.aborted) end();
    return await exit;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
function endGroup(child) {
  child.stdout?.destroy();
  if (child.pid === void 0 || !hasProcessGroups) return void child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
  }
}
async function started(child, { file }) {
  try {
    await once(child, "spawn");
  } catch (error2) {
    const isMissing = Error.isError(error2) && "code" in error2 && error2.code === "ENOENT";
    if (isMissing) throw new ProgramFailed(`${file} is not installed on this runner`, null, true);
    throw error2;
  }
}
function exitOf(child) {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text2) => {
    stderr = (stderr + text2).slice(-keptStderr);
  });
  return new Promise((resolve3) => {
    child.once(
      "close",
      (code2, signal) => resolve3({ code: code2, signal, stderr: stderr.trim() })
    );
  });
}
function failureText({ label }, { code: code2, signal, stderr }) {
  const how = code2 === null ? `was ended by ${signal}` : `ended with exit code ${code2}`;
  return `${label} ${how}${stderr === "" ? "" : `: ${stderr}`}`;
}
function childEnvironment(env2) {
  return Object.fromEntries(Object.entries(env2).filter(([name]) => !/^(INPUT_|ACTIONS_)/i.test(name)));
}
var maxItem = 1024 * 1024;
async function* splitItems(stream, separator2) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const items = (rest + decoder.decode(chunk, { stream: true })).split(separator2);
    rest = items.pop() ?? "";
    if (rest.length > maxItem) throw new Error("it printed an item of more than 1 MiB");
    const whole = items.filter((item) => item !== "");
    if (whole.length > 0) yield whole;
  }
  rest += decoder.decode();
  if (rest !== "") yield [rest];
}

// src/client/errors.ts
var ApiError = class extends Error {
  name = "ApiError";
  status;
  /** The code of the problem, for programs: `QUEUE_NOT_FOUND`. Null when the answer is not the service's own. */
  code;
  /** Describes the problem, and how to solve it, for people. */
  detail;
  /** Errors in the request's fields. */
  errors;
  /** How long the service asks to wait before trying again. */
  retryAfterMs;
  /** Identifies the request in the service's log. */
  requestId;
  constructor(answer) {
    super(answer.detail);
    this.status = answer.status;
    this.code = answer.code;
    this.detail = answer.detail;
    this.errors = answer.errors;
    this.retryAfterMs = answer.retryAfterMs;
    this.requestId = answer.requestId;
  }
};
var NetworkError = class extends Error {
  name = "NetworkError";
  kind;
  constructor(kind, message, cause) {
    super(message, { cause });
    this.kind = kind;
  }
};
function isTransient(error2) {
  if (error2 instanceof NetworkError) return true;
  return error2 instanceof ApiError && (error2.status >= 500 || error2.status === 429);
}

// src/client/retry.ts
async function withRetries(attempt, options) {
  const { attempts: attempts3, maxDelayMs = 6e4, sleep: sleep2 = sleepFor } = options;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error2) {
      if (!isTransient(error2) || failures >= attempts3) throw error2;
      const asked = error2 instanceof ApiError ? error2.retryAfterMs : null;
      if (asked !== null && asked > maxDelayMs) throw error2;
      await sleep2(asked ?? backoffMs(failures, maxDelayMs, options));
    }
  }
}
function backoffMs(failures, maxDelayMs, { firstDelayMs = 500, random = Math.random }) {
  const delay = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
  return Math.round(delay * (0.5 + random() / 2));
}
function sleepFor(ms) {
  return new Promise((resolve3) => setTimeout(resolve3, ms));
}

// src/action/step.ts
var StepError = class extends Error {
  name = "StepError";
  title;
  /** @param message sentences; the last one says what to do. */
  constructor(title, message, options) {
    super(message, options);
    this.title = title;
  }
};

// src/engine/reasons/sentence.ts
var namedAtOnce = 3;
var longestName = 80;
function namesOf(tests) {
  const more = tests.length - namedAtOnce;
  const names = tests.slice(0, namedAtOnce).map(
    (name) => name.replaceAll(/[^\p{L}\p{N} .,:;/#'()=+-]+/gu, " ").trim().slice(0, longestName)
  );
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
function asClause(text2) {
  return text2.trim().replace(/(?<!\.)\.$/, "");
}
function counted(count, noun, several = `${noun}s`) {
  return `${count} ${count === 1 ? noun : several}`;
}
function asSentence(text2) {
  const trimmed2 = text2.trim();
  return /[.!?…]$/.test(trimmed2) ? trimmed2 : `${trimmed2}.`;
}

// src/action/github/github-api.ts
var timeoutMs = 3e4;
var GitHubRefusal = class extends ApiError {
};
var GitHubUnreachable = class extends NetworkError {
};
var GitHubApi = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  /** Retries work that fails for a transient reason. The work must be safe to repeat. */
  retried(work) {
    return withRetries(work, this.#options.retry);
  }
  /**
   * Sends one request, and returns the JSON of the response.
   *
   * @throws GitHubRefusal for every response except success, GitHubUnreachable when there is no response.
   */
  async request(method, path, body) {
    const { apiUrl, token, fetch } = this.#options;
    const { response, text: text2 } = await this.#answer(async (signal) => {
      const response2 = await fetch(`${apiUrl}${path}`, {
        method,
        signal,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${token}`,
          "user-agent": "trainyard-action",
          "x-github-api-version": "2022-11-28",
          ...body === void 0 ? {} : { "content-type": "application/json" }
        },
        ...body === void 0 ? {} : { body: JSON.stringify(body) }
      });
      return { response: response2, text: await response2.text() };
    });
    const answer = parseJson(text2);
    if (response.ok) return answer;
    throw refusal(response, messageOf(answer));
  }
  async #answer(ask) {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await ask(signal);
    } catch (error2) {
      const kind = signal.aborted ? "timeout" : "network";
      throw new GitHubUnreachable(kind, `GitHub at ${this.#options.apiUrl} did not answer.`, error2);
    }
  }
};
function refusal({ status: status2, headers }, message) {
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  const isTooMuch = status2 === 403 && (retryAfter > 0 || headers.get("x-ratelimit-remaining") === "0");
  return new GitHubRefusal({
    status: isTooMuch ? 429 : status2,
    code: null,
    detail: `GitHub answered ${status2}: ${message}.`,
    errors: [],
    retryAfterMs: retryAfter > 0 ? retryAfter * 1e3 : null,
    requestId: headers.get("x-github-request-id")
  });
}
function messageOf(answer) {
  const message = typeof answer === "object" && answer !== null ? Reflect.get(answer, "message") : null;
  return typeof message === "string" ? asClause(message) : "no reason given";
}
function parseJson(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return null;
  }
}

// src/action/github/workflow-token.ts
function readTokenRequest(env2) {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = env2;
  return url && bearer ? { url, bearer } : null;
}
async function requestWorkflowToken({ url, bearer }, audience, { fetch, retry }) {
  const address = new URL(url);
  address.searchParams.set("audience", audience);
  const github = new GitHubApi({ apiUrl: address.origin, token: bearer, fetch, retry });
  try {
    const path = `${address.pathname}${address.search}`;
    const answer = await withRetries(() => github.request("GET", path), retry);
    const value = typeof answer === "object" && answer !== null ? Reflect.get(answer, "value") : null;
    if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
    throw new StepError("GitHub issued no token", "Its answer contains no token; run the job again later.");
  } catch (error2) {
    if (!(error2 instanceof GitHubRefusal)) throw error2;
    throw new StepError(
      "GitHub issued no token",
      `${error2.detail} Give the job the permission \`id-token: write\`, or set the input api-token.`,
      { cause: error2 }
    );
  }
}

// src/action/proxies.ts
import { spawn as spawn2 } from "node:child_process";
import { once as once2 } from "node:events";
import http from "node:http";
var variables = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
function proxiesOf(env2) {
  const named = variables.flatMap((name) => env2[name] ? [[name, env2[name]]] : []);
  return Object.fromEntries(
    named.map(([name, address]) => [name, address.includes("://") ? address : `http://${address}`])
  );
}
async function useProxies(env2, argv) {
  const proxies = proxiesOf(env2);
  if (Object.keys(proxies).length === 0 || env2.NODE_USE_ENV_PROXY === "1") return null;
  if (typeof http.setGlobalProxyFromEnv === "function") {
    http.setGlobalProxyFromEnv({ ...env2, ...proxies });
    return null;
  }
  const child = spawn2(process.execPath, argv, {
    env: { ...env2, ...proxies, NODE_USE_ENV_PROXY: "1" },
    stdio: "inherit"
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const [code2] = await once2(child, "close");
  return code2 ?? 1;
}

// src/client/encoded-body.ts
function bodyInit(body) {
  return typeof body === "string" ? { body } : { body: ReadableStream.from(body.chunks), duplex: "half" };
}
function lengthHeader(body) {
  return typeof body === "string" ? {} : { "content-length": String(body.byteLength) };
}

// src/client/exchange.ts
async function exchange(fetch, request) {
  const { response, text: text2 } = await send(fetch, request);
  const answer = parseJson2(text2);
  if (response.ok && answer !== void 0) return answer;
  throw failure(request.url, response, answer);
}
async function exchangeText(fetch, request) {
  const { response, text: text2 } = await send(fetch, request);
  if (response.ok && response.headers.get("content-type")?.startsWith("text/plain")) return text2;
  throw failure(request.url, response, parseJson2(text2));
}
function send(fetch, { method, url, headers, body, timeoutMs: timeoutMs2 }) {
  return answerOf(url, timeoutMs2, async (signal) => {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...body === void 0 ? {} : lengthHeader(body) },
      ...body === void 0 ? {} : bodyInit(body),
      signal,
      redirect: "manual"
    });
    return { response, text: await response.text() };
  });
}
function failure(url, response, answer) {
  return new ApiError({
    ...failureOf(url, response, answer),
    status: response.status,
    retryAfterMs: retryAfterMs(response.headers)
  });
}
async function answerOf(url, timeoutMs2, ask) {
  const signal = AbortSignal.timeout(timeoutMs2);
  try {
    return await ask(signal);
  } catch (error2) {
    const { origin } = new URL(url);
    if (signal.aborted) {
      throw new NetworkError("timeout", `${origin} did not answer within ${timeoutMs2 / 1e3} s.`, error2);
    }
    throw new NetworkError("network", `${origin} did not answer: ${reasonOf(error2)}.`, error2);
  }
}
function failureOf(url, response, answer) {
  if (isProblem(answer)) {
    const { code: code2, detail, errors = [], instance } = answer;
    return { code: code2, detail, errors, requestId: instance };
  }
  const location = response.headers.get("location");
  const what = location ? `redirects to ${location}` : `answered ${response.status}, but not as Trainyard does`;
  return { code: null, detail: `${url} ${what}. Is the address right?`, errors: [], requestId: null };
}
function isProblem(answer) {
  return typeof answer === "object" && answer !== null && "code" in answer && "detail" in answer;
}
function parseJson2(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}
function retryAfterMs(headers) {
  const value = headers.get("retry-after");
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1e3;
  const wait = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
function reasonOf(error2) {
  if (!Error.isError(error2)) return String(error2);
  if (error2.cause !== void 0) return reasonOf(error2.cause);
  return error2.message || ("code" in error2 ? String(error2.code) : error2.name);
}

// src/client/client.ts
function createClient(options) {
  const { fetch = globalThis.fetch, timeoutMs: timeoutMs2 = 3e4, retry = { attempts: 1 } } = options;
  const headers = headersOf(options);
  function call(name, path = name) {
    return async (request) => {
      const url = endpointUrl(options, path);
      const posted = { method: "POST", url, headers, body: JSON.stringify(request), timeoutMs: timeoutMs2 };
      return await withRetries(() => exchange(fetch, posted), retry);
    };
  }
  return {
    submitPullRequest: call("submitPullRequest"),
    tryPullRequest: call("tryPullRequest"),
    cancelTry: call("cancelTry"),
    cancelPullRequest: call("cancelPullRequest"),
    restartTestsOnPullRequest: call("restartTestsOnPullRequest"),
    getSubmittedPullRequest: call("getSubmittedPullRequest"),
    getSubmittedPullRequests: call("getSubmittedPullRequests"),
    listPullRequests: call("listPullRequests"),
    explainPullRequest: call("explainPullRequest"),
    getMergeQueueTestingDetails: call("getMergeQueueTestingDetails"),
    proveCommit: call("proveCommit"),
    setImpactedTargets: call("setImpactedTargets"),
    createQueue: call("createQueue"),
    deleteQueue: call("deleteQueue"),
    getQueue: call("getQueue"),
    listQueues: call("listQueues"),
    updateQueue: call("updateQueue"),
    examineQueue: call("examineQueue"),
    setQuarantine: call("setQuarantine", "flaky-tests/set-quarantine"),
    linkTicketToTestCase: call("linkTicketToTestCase", "flaky-tests/link-ticket-to-test-case"),
    exportQuarantines: call("exportQuarantines", "flaky-tests/export-quarantines"),
    importQuarantines: call("importQuarantines", "flaky-tests/import-quarantines"),
    getTestSettings: call("getTestSettings", "flaky-tests/get-test-settings"),
    updateTestSettings: call("updateTestSettings", "flaky-tests/update-test-settings"),
    createBundleUpload: call("createBundleUpload", "metrics/createBundleUpload"),
    getQuarantineConfig: call("getQuarantineConfig", "metrics/getQuarantineConfig"),
    uploadTestResults: call("uploadTestResults", "flaky-tests/upload-results"),
    listAuditLog: call("listAuditLog"),
    createWebhook: call("createWebhook"),
    listWebhooks: call("listWebhooks"),
    updateWebhook: call("updateWebhook"),
    deleteWebhook: call("deleteWebhook"),
    listWebhookDeliveries: call("listWebhookDeliveries"),
    resendWebhookDelivery: call("resendWebhookDelivery"),
    listQuarantinedTests: call("listQuarantinedTests", "flaky-tests/list-quarantined-tests"),
    listUnhealthyTests: call("listUnhealthyTests", "flaky-tests/list-unhealthy-tests"),
    listFailingTests: call("listFailingTests", "flaky-tests/list-failing-tests"),
    getTestDetails: call("getTestDetails", "flaky-tests/get-test-details"),
    getMergeQueueMetrics: (of) => {
      const query2 = of ? `?${new URLSearchParams({ ...of })}` : "";
      const url = endpointUrl(options, "getMergeQueueMetrics") + query2;
      const asked = { method: "GET", url, headers: { ...headers, accept: "text/plain" }, timeoutMs: timeoutMs2 };
      return withRetries(() => exchangeText(fetch, asked), retry);
    }
  };
}
function endpointUrl({ baseUrl }, path) {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/${path}`;
}
function headersOf(options) {
  const { token, workflowToken, forkedWorkflowRunId, userAgent } = options;
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...userAgent ? { "user-agent": userAgent } : {},
    ...token ? { "x-api-token": token } : {},
    ...workflowToken ? { authorization: `Bearer ${workflowToken}` } : {},
    ...forkedWorkflowRunId ? { "x-forked-workflow-run-id": forkedWorkflowRunId } : {}
  };
}

// src/action/checked-client.ts
var fields = {
  submitPullRequest: ["state", "why"],
  cancelPullRequest: ["state", "why"],
  restartTestsOnPullRequest: ["state", "why"],
  getSubmittedPullRequest: ["state", "why"],
  setImpactedTargets: ["targetsCount", "prSha"],
  proveCommit: ["proved", "reason"],
  getMergeQueueTestingDetails: ["testedPullRequests", "dependentPrs", "isBisection"],
  uploadTestResults: ["verdict", "tests", "reports", "failed", "quarantined"]
};
function createCheckedClient(options) {
  const client = createClient(options);
  const checked = (name) => {
    const ask = client[name];
    return (async (request) => checkAnswer(name, await ask(request)));
  };
  return {
    submitPullRequest: checked("submitPullRequest"),
    cancelPullRequest: checked("cancelPullRequest"),
    restartTestsOnPullRequest: checked("restartTestsOnPullRequest"),
    getSubmittedPullRequest: checked("getSubmittedPullRequest"),
    setImpactedTargets: checked("setImpactedTargets"),
    proveCommit: checked("proveCommit"),
    getMergeQueueTestingDetails: checked("getMergeQueueTestingDetails"),
    uploadTestResults: checked("uploadTestResults")
  };
}
function checkAnswer(name, answer) {
  const missing = fields[name].find((field) => Object(answer)[field] === void 0);
  if (missing === void 0) return answer;
  throw new StepError(
    "This is not Trainyard",
    `The answer to ${name} has no field \`${missing}\`. Check the input api-url.`
  );
}

// src/action/commands/context.ts
import { existsSync as existsSync3, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";

// src/action/access.ts
async function accessTo({ apiToken }, context3, budget3) {
  const service = withinBudget(context3, budget3);
  if (apiToken !== null) return service;
  if (context3.issueToken !== null) return { ...service, workflowToken: await context3.issueToken(service) };
  throw new StepError(
    "No token",
    "The input api-token is empty, as in workflows of forks. Set it from a secret with an API token of the scope `read`, or give the job `id-token: write`."
  );
}
function withinBudget({ service, fetch, clock, signal, runner }, { budgetMs: budgetMs2, attempts: attempts3 }) {
  const budget3 = AbortSignal.any([signal, AbortSignal.timeout(budgetMs2)]);
  return {
    ...service,
    timeoutMs: budgetMs2,
    fetch: (url, init) => {
      const given = init?.signal;
      return fetch(url, { ...init, signal: given ? AbortSignal.any([given, budget3]) : budget3 });
    },
    retry: {
      attempts: attempts3,
      maxDelayMs: budgetMs2,
      sleep: async (ms) => {
        runner.log(`No usable answer; trying again in ${(ms / 1e3).toFixed(1)} s.`);
        await clock.sleep(ms, budget3);
      }
    }
  };
}

// src/action/explain-error.ts
function explainError(error2, circumstances) {
  if (error2 instanceof StepError) return error2;
  if (error2 instanceof GitHubRefusal) return explainGitHub(error2);
  if (error2 instanceof GitHubUnreachable) {
    return new StepError("GitHub does not answer", `${error2.message} Run the job again later.`, {
      cause: error2
    });
  }
  if (error2 instanceof ApiError) return explainRefusal(error2, circumstances);
  if (error2 instanceof NetworkError) {
    return new StepError(
      "No answer",
      `${error2.message} Check the input api-url, and that this runner reaches that address; behind a proxy set HTTPS_PROXY in the step's env.`,
      { cause: error2 }
    );
  }
  const { message, stack = "" } = error2 instanceof Error ? error2 : new Error(String(error2));
  return new StepError(
    "Unexpected error",
    `${asClause(message)}. This is a fault of the Action; please report it with these lines:
${stack}`,
    { cause: error2 }
  );
}
function explainRefusal(error2, circumstances) {
  const faults = error2.errors.map(({ path, message }) => `${path || "the body"} ${message}`).join("; ");
  const detail = faults === "" ? error2.detail : `${error2.detail} (${faults})`;
  return new StepError(titleOf(error2), [detail, advice(error2, circumstances)].join(" ").trim(), {
    cause: error2
  });
}
function explainGitHub(error2) {
  const what = [401, 403, 404].includes(error2.status) ? "Give the job the permissions that this command needs: `checks: write` for status, `pull-requests: read` if the event is not about a pull request." : "Run the job again later.";
  return new StepError("GitHub refused", `${error2.detail} ${what}`, { cause: error2 });
}
function titleOf({ status: status2, code: code2 }) {
  if (code2 === "WORKFLOW_TOKEN_NOT_VALID") return "The job's own token was not accepted";
  if (status2 === 401) return "The API token was not accepted";
  if (status2 === 403) return "The request is not permitted";
  if (status2 === 429) return "Too many requests";
  if (code2 === null) return "This is not Trainyard";
  return status2 >= 500 ? "The service failed" : "The service refused";
}
function advice({ status: status2, code: code2 }, circumstances) {
  if (code2 === "WORKFLOW_TOKEN_NOT_VALID")
    return "Set the input api-audience to the service's TRAINYARD_OIDC_AUDIENCE, else to its TRAINYARD_PUBLIC_URL; or use an API token.";
  const { repo, targetBranch } = circumstances?.subject.queue ?? {};
  if (status2 === 401) {
    const where = circumstances?.actor === "dependabot[bot]" ? "a Dependabot secret" : "a secret";
    return `Set the input api-token from ${where} that contains a token created with \`trainyard token create --organisation ${repo?.owner ?? "OWNER"} --scopes read,submit\`.`;
  }
  if (status2 === 403)
    return "Create a token with that scope, and store it in the secret that api-token uses.";
  if (code2 === "QUEUE_NOT_FOUND") {
    return `This step asked for the queue of ${targetBranch} in ${repo?.owner}/${repo?.name}; if you mean another queue, set the input target-branch.`;
  }
  if (code2 === null) return "Check the input api-url.";
  if (status2 >= 500 || status2 === 429) return "Several attempts failed; run the job again later.";
  return "";
}

// src/action/summary.ts
function renderSummary({ command, isFailure, title, message, subject, details }) {
  return [
    `### Trainyard ${command}: ${escapeMarkdown(title)}`,
    "",
    ...subject ? [subjectLine(subject), ""] : [],
    `${isFailure ? "**Failed.** " : ""}${escapeMarkdown(message)}`,
    "",
    ...details,
    ""
  ].join("\n");
}
function renderChain({ why }) {
  return why.map(({ text: text2, since }) => `- ${escapeMarkdown(text2)} (since ${since})`);
}
function escapeMarkdown(text2) {
  return text2.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|~&@!]/g, "\\$&");
}
function code(text2) {
  const fence = "`".repeat(Math.max(0, ...(text2.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${fence} ${text2.replaceAll(/\s+/g, " ")} ${fence}`;
}
function subjectLine({ pr, url, queue: { repo, targetBranch } }) {
  return `[${escapeMarkdown(`${repo.owner}/${repo.name}`)}#${pr}](${url}), queue of ${code(targetBranch)}`;
}
function describeEntry(entry) {
  return described(entry, entry.position === null ? [] : [`position ${entry.position}`]);
}
function describeProgress(entry, now) {
  const { position, forecast } = entry;
  return described(entry, [
    ...position === null ? [] : [`position ${position}`, `${position - 1} ahead`],
    ...forecast === null ? [] : [mergesIn(forecast, now)]
  ]);
}
function described(entry, place) {
  const where = place.length === 0 ? "" : ` (${place.join(", ")})`;
  return `${stateText(entry)}${where}: ${asClause(entry.why.at(-1)?.text ?? entry.reason)}`;
}
function mergesIn({ p50, p90 }, now) {
  const [likely, worst] = [p50, p90].map((time) => Math.max(1, Math.ceil((Date.parse(time) - now) / 6e4)));
  return `merges in about ${likely} min${likely === worst ? "" : `, at worst ${worst}`}`;
}
function stateText({ state }) {
  return state.replaceAll("_", " ");
}
function entryOutputs(entry) {
  return { state: entry.state, reason: entry.reason, "test-run-id": entry.verifiedByTestRun ?? "" };
}

// src/action/commands/context.ts
var nothing = {
  ...{ version: 1, testRunId: null, baseSha: null, members: [], ahead: [], isBisection: false },
  failedBefore: []
};
var budget = { budgetMs: 1e4, attempts: 3 };
var mostListed = 20;
var runId = /^pr-\d+\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:-bisection.*)?$/i;
async function context2(inputs, step) {
  const { workflow } = step;
  const branch = workflow.branch ?? "";
  const { testBranchPrefix: prefix } = inputs;
  const [, testRunId] = branch.startsWith(prefix) && runId.exec(branch.slice(prefix.length)) || [];
  if (testRunId === void 0)
    return contextUnknown(inputs, step, {
      ...{ title: "No test branch", message: `${branch || "The ref"} is no test branch of the queue.` }
    });
  if (inputs.dryRun)
    return contextUnknown(inputs, step, {
      ...{ title: "Dry run", message: `Would ask about the test run ${testRunId}.`, verdict: "dry-run" }
    });
  const repo = inputs.repository ?? workflow.repository;
  const targetBranch = inputs.targetBranch ?? workflow.defaultBranch;
  if (repo === null || targetBranch === null)
    throw new StepError("Which queue?", "Set the inputs repository and target-branch.");
  const { owner, name } = repo;
  const client = createCheckedClient(await accessTo(inputs, step, budget));
  const queue = { repo: { host: workflow.host, owner, name }, targetBranch };
  const run = await client.getMergeQueueTestingDetails({ ...queue, testRunId });
  if (!("testRunId" in run)) throw new StepError("Which run?", "The service named no test run.");
  return described2(run, inputs, step);
}
async function contextUnknown(inputs, step, {
  title,
  message,
  verdict = "skipped"
}) {
  const outputs = await writeContext(nothing, inputs, step);
  return { verdict, isFailure: false, title, message, outputs, details: [] };
}
function contextFailed(error2, step) {
  const { title, message } = explainError(error2, null);
  return contextUnknown(null, step, {
    title,
    message: `${message} So no test is known to have failed before.`
  });
}
async function described2(run, inputs, step) {
  const members = run.testedPullRequests.map(({ prNumber: number, prSha: sha }) => ({ number, sha }));
  const { testRunId, baseSha, dependentPrs: ahead, isBisection, failedBefore = [] } = run;
  const outputs = await writeContext(
    { version: 1, testRunId, baseSha, members, ahead, isBisection, failedBefore },
    inputs,
    step
  );
  const of = members.map(({ number }) => `#${number}`).join(", ") || "the branch alone";
  return {
    verdict: "told",
    isFailure: false,
    title: isBisection ? "Part of a batch that failed" : "A test of the queue",
    message: `This run tests ${of}. ${counted(failedBefore.length, "test")} failed before on ${members.length === 1 ? "it" : "them"}.`,
    outputs,
    details: failedBefore.slice(0, mostListed).map(({ name, file }) => `- ${file === null ? "" : `${code(file)} `}${code(name)}`)
  };
}
async function writeContext(told, inputs, { workflow }) {
  const file = join(workflow.temporary, "trainyard.json");
  const list = join(workflow.temporary, "trainyard-failed-files.txt");
  const directory = join(workflow.workspace, inputs?.workingDirectory ?? ".");
  await writeFile(file, `${JSON.stringify(told, null, 2)}
`);
  const files2 = existingFiles(told.failedBefore, directory);
  await writeFile(list, files2.map((path) => `${path}
`).join(""));
  return {
    context: file,
    members: JSON.stringify(told.members),
    "is-bisection": String(told.isBisection),
    "failed-files": list
  };
}
function existingFiles(tests, directory) {
  const paths = tests.flatMap(({ file }) => {
    if (file === null || new RegExp("\\p{Cc}", "u").test(file)) return [];
    const path = relative(directory, isAbsolute(file) ? file : join(directory, file)).replaceAll("\\", "/");
    if (path === "" || path.startsWith("../") || path.startsWith("-") || isAbsolute(path)) return [];
    const full = join(directory, path);
    return existsSync3(full) && statSync(full).isFile() ? [path] : [];
  });
  return [...new Set(paths)];
}

// src/action/commands/impacted-targets.ts
import { open } from "node:fs/promises";

// src/action/providers/find-impact.ts
import { existsSync as existsSync8 } from "node:fs";
import { readFile as readFile5 } from "node:fs/promises";
import { join as join9 } from "node:path";

// src/action/git/git.ts
function gitItems(git, separator2, ...args) {
  const env2 = { ...git.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  return itemsPrintedBy({ ...git, env: env2, file: "git", label: `git ${args[0]}`, args }, separator2, "keep");
}
async function runGit(git, ...args) {
  for await (const _ of gitItems(git, "\n", ...args)) ;
}
async function gitLine(git, ...args) {
  return (await gitLines(git, ...args))[0] ?? null;
}
async function gitLines(git, ...args) {
  try {
    return (await Array.fromAsync(gitItems(git, "\n", ...args))).flat();
  } catch (error2) {
    if (error2 instanceof ProgramFailed && error2.exit?.code === 1) return [];
    throw error2;
  }
}
var flags = ["-r", "-z", "--no-renames", "--ignore-submodules=none"];
function changedFiles(git, baseSha, headSha) {
  return gitItems(git, "\0", "diff-tree", "--name-only", ...flags, baseSha, headSha);
}
async function* changedFilesOfBothSides(git, baseSha, headSha) {
  let modes = null;
  for await (const items of gitItems(git, "\0", "diff-tree", "--raw", ...flags, baseSha, headSha)) {
    for (const item of items) {
      if (modes === null) {
        modes = item.slice(1).split(" ", 2);
        continue;
      }
      const [base, head] = modes;
      const isSubmodule = modes.includes("160000");
      yield { path: item, isAtBase: base !== "000000", isAtHead: head !== "000000", isSubmodule };
      modes = null;
    }
  }
}
async function scanTree(git, sha, isWanted) {
  const tree = { files: [], symlinks: [], submodules: [] };
  for await (const lines of gitItems(git, "\0", "ls-tree", "-r", "-z", "--full-tree", sha)) {
    for (const line of lines) {
      const tab = line.indexOf("	");
      const [mode, , object = ""] = line.slice(0, tab).split(" ");
      const entry = { path: line.slice(tab + 1), sha: object };
      if (mode === "120000") tree.symlinks.push(entry);
      else if (mode === "160000") tree.submodules.push(entry);
      else if (isWanted(entry.path)) tree.files.push(entry);
    }
  }
  return tree;
}
async function readFiles(git, files2) {
  const texts = await readBlobs(git, new Set(files2.map(({ sha }) => sha)));
  return files2.map((file) => {
    const text2 = texts.get(file.sha);
    if (text2 === void 0) throw new Error(`git has no content for ${file.path}`);
    return { ...file, text: text2 };
  });
}
async function readBlobs(git, wanted) {
  const texts = /* @__PURE__ */ new Map();
  if (wanted.size === 0) return texts;
  const env2 = { ...git.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  const input = [...wanted].map((id) => `${id}
`).join("");
  const args = ["cat-file", "--batch"];
  const chunks = [];
  const program = { ...git, env: env2, file: "git", label: "git cat-file", args, input };
  for await (const chunk of printedBy(program, "keep")) chunks.push(chunk);
  const printed2 = Buffer.concat(chunks);
  let position = 0;
  for (const id of wanted) {
    const start = printed2.indexOf("\n", position) + 1;
    const size = Number(printed2.subarray(position, start).toString().split(" ")[2]);
    if (!Number.isInteger(size)) throw new Error(`git has no content for ${id}`);
    texts.set(id, printed2.subarray(start, start + size).toString());
    position = start + size + 1;
  }
  return texts;
}

// src/action/git/merge-base.ts
var wholeHistory = "give actions/checkout `fetch-depth: 0` (with `filter: blob:none` it stays small)";
async function findMergeBases(git, branch, headSha) {
  const isShallow = await shallowness(git);
  if (isShallow === "true") {
    throw new StepError(
      "The checkout is shallow",
      `The missing history could hide changes; ${wholeHistory}.`
    );
  }
  const target = await commitAt(git, `refs/remotes/origin/${branch}`);
  if (target === null) {
    throw new StepError(
      "The target branch is missing",
      `The checkout does not contain origin/${branch}; ${wholeHistory}, which fetches every branch.`
    );
  }
  if (await commitAt(git, headSha) === null) {
    throw new StepError(
      "The head is missing",
      `The checkout does not contain the pull request's head ${headSha.slice(0, 12)}; ${wholeHistory} on the event pull_request, or fetch refs/pull/NUMBER/head first.`
    );
  }
  const [base, ...others] = await gitLines(git, "merge-base", "--all", target, headSha);
  if (base !== void 0) return { targetSha: target, bases: [base, ...others] };
  throw new StepError(
    "No merge base",
    `The pull request and ${branch} share no history, so its changes cannot be determined. Rebase it onto ${branch}.`
  );
}
async function shallowness(git) {
  try {
    return await gitLine(git, "rev-parse", "--is-shallow-repository");
  } catch (error2) {
    if (!(error2 instanceof ProgramFailed)) throw error2;
    const advice2 = error2.isMissing ? "Install git on the runner, or use the provider `all`." : "Run actions/checkout with `fetch-depth: 0` before this step.";
    throw new StepError("There is no checkout", `${asClause(error2.message)}. ${advice2}`, {
      cause: error2
    });
  }
}
async function commitAt(git, name) {
  try {
    return await gitLine(git, "rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`);
  } catch (error2) {
    if (error2 instanceof ProgramFailed) return null;
    throw error2;
  }
}

// src/action/targets/globs.ts
var tokens = /\\.|(?<=^|\/)\*\*\/|\*+|\[[^\]]*\]|./gsu;
function compileGlob(glob2) {
  let depth = 0;
  let source = "";
  for (const [token] of glob2.replace(/^\.?\//, "").replace(/\/$/, "/**").matchAll(tokens)) {
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth < 0 || token === "[") throw new SyntaxError(`unmatched ${token}`);
    source += token === "," && depth > 0 ? "|" : expression(token);
  }
  if (depth > 0) throw new SyntaxError("unmatched {");
  return new RegExp(source.endsWith(".*") ? `^${source.slice(0, -2)}` : `^${source}$`, "su");
}
function globOf(path) {
  return path.replace(/^\.\//, "").replaceAll(/[\\*?[\]{},!]/g, "\\$&");
}
function withoutExclusion(glob2) {
  return glob2.replace(/^!/, "\\!");
}
function expression(token) {
  switch (token[0]) {
    case "*":
      if (token.endsWith("/")) return "(?:.*/)?";
      return token === "*" ? "[^/]*" : ".*";
    case "?":
      return "[^/]";
    case "[":
      return bracket(token.slice(1, -1));
    case "{":
      return "(?:";
    case "}":
      return ")";
    case "\\":
      return literal(token.slice(1));
    default:
      return literal(token);
  }
}
function bracket(inside) {
  const isNegated = /^[!^]/.test(inside);
  const characters = (isNegated ? inside.slice(1) : inside).replaceAll(/[\\[\]^]/g, "\\$&");
  if (characters === "") throw new SyntaxError("empty brackets");
  return isNegated ? `[^/${characters}]` : `[${characters}]`;
}
function literal(character) {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}
function compileGlobs(globs) {
  return globs.map((listed2) => {
    const glob2 = listed2.replace(/^!/, "");
    const prefix = glob2.replace(/^\.?\//, "").replace(/[\\*?[{].*$/su, "");
    return { pattern: compileGlob(glob2), isExclusion: glob2 !== listed2, prefix };
  });
}
function includes(globs, path) {
  return globs.findLast(({ pattern: pattern2 }) => pattern2.test(path))?.isExclusion === false;
}
function splitGlobs(text2) {
  const globs = text2.match(/(?:\{[^}]*\}|[^,])+/g) ?? [];
  return globs.map((glob2) => glob2.trim()).filter((glob2) => glob2 !== "");
}
function globProblems(globs) {
  if (globs.length > 0 && globs.every((glob2) => glob2.startsWith("!")))
    return [`has only globs that exclude (${globs.join(", ")}); begin with one that includes, such as **`];
  return globs.flatMap((glob2) => globProblem(glob2) ?? []);
}
function globProblem(glob2) {
  const problem = `has the glob "${glob2}", which is not valid; use *, **, ?, [abc] and {a,b}`;
  if (/[?*+@!]\(|\{[^}]*\.\.[^}]*\}/.test(glob2)) return problem;
  try {
    compileGlobs([glob2]);
    return null;
  } catch {
    return problem;
  }
}

// src/action/targets/path-rules.ts
import { readFile } from "node:fs/promises";
import { join as join2 } from "node:path";
var noTarget = "none";
function parsePathRules(text2) {
  const rules = [];
  const problems = [];
  for (const [index, line] of text2.split(/\r?\n/).entries()) {
    const content = line.replace(/(^|\s)#.*$/, "").trim();
    if (content === "") continue;
    const rule = parseRule(content);
    if (typeof rule === "string") problems.push(`line ${index + 1} ${rule}`);
    else rules.push(rule);
  }
  return { rules, problems };
}
function parseRule(line) {
  const [, target = "", list = ""] = /^(.+):(?:\s+(.*))?$/.exec(line) ?? [];
  const globs = splitGlobs(list);
  if (target === "" || globs.length === 0) return `is "${line}"; write \`name: glob, glob\``;
  return globProblems(globs)[0] ?? { target: target.trim(), globs };
}
async function readFilterFile(directory, path) {
  const text2 = await readFile(join2(directory, path), "utf8").catch((error2) => {
    throw new StepError(
      "The filters cannot be read",
      `${error2}. Give the path from the top of the checkout.`
    );
  });
  const { parse: parse3 } = await Promise.resolve().then(() => __toESM(require_dist(), 1));
  const filters = parse3(text2);
  if (typeof filters !== "object" || filters === null || Array.isArray(filters)) {
    throw new StepError(
      "The filters cannot be read",
      `${path} has no names with globs. Write \`name: [glob, glob]\`.`
    );
  }
  return Object.entries(filters).map(([target, globs]) => ({
    target,
    globs: globsIn(globs, `${target} in ${path}`)
  }));
}
function globsIn(value, where) {
  if (Array.isArray(value)) return value.flatMap((item) => globsIn(item, where));
  if (typeof value !== "string") {
    throw new StepError(
      "The filters cannot be read",
      `${where} contains something other than globs. Types of change, such as \`added\`, are not supported.`
    );
  }
  const problem = value.startsWith("!") ? `has the glob "${value}", which excludes files; name those files as \`none\`` : globProblem(value);
  if (problem !== null) throw new StepError("The filters cannot be read", `${where} ${problem}.`);
  return [value];
}
var PathMatcher = class {
  #matchers;
  #folder = null;
  #candidates = [];
  constructor(rules) {
    this.#matchers = rules.map(({ target, globs }) => ({ target, globs: compileGlobs(globs) }));
  }
  names(path) {
    return this.#candidatesFor(path).some(({ globs }) => includes(globs, path));
  }
  /** Adds the targets of a path to the impacted ones. Returns whether any rule names the path. */
  addTargets(path, impacted) {
    let isNamed = false;
    for (const { target, globs } of this.#candidatesFor(path)) {
      if (isNamed && impacted.has(target) || !includes(globs, path)) continue;
      isNamed = true;
      impacted.add(target);
    }
    return isNamed;
  }
  #candidatesFor(path) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder === this.#folder) return this.#candidates;
    const canMatch = ({ prefix }) => prefix.startsWith(folder) || folder.startsWith(prefix);
    this.#folder = folder;
    this.#candidates = this.#matchers.flatMap(({ target, globs }) => {
      const near = globs.filter(canMatch);
      return near.length === 0 ? [] : [{ target, globs: near }];
    });
    return this.#candidates;
  }
};

// src/action/providers/bazel/bazel.ts
import { mkdtemp } from "node:fs/promises";
import { basename, join as join4, posix as posix2 } from "node:path";

// src/action/providers/provider.ts
import { existsSync as existsSync4 } from "node:fs";
import { dirname, join as join3, resolve } from "node:path";
async function* batched(targets) {
  yield [...targets];
}
var providerNames = [
  "auto",
  "bazel",
  "nx",
  "turborepo",
  "pnpm",
  "yarn",
  "npm",
  "cargo",
  "go",
  "paths",
  "command",
  "all"
];
function localProgram(name, cwd) {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const file = join3(directory, "node_modules", ".bin", name);
    if (existsSync4(file)) return file;
    if (directory === dirname(directory)) return name;
  }
}

// src/action/providers/bazel/bazel-inputs.ts
function readBazelInputs(reader) {
  const kinds3 = reader.list("bazel-target-kinds");
  const scope = reader.list("bazel-scope");
  for (const problem of globProblems(kinds3)) reader.fault("bazel-target-kinds", problem);
  for (const pattern2 of scope.filter((one) => !isTargetPattern(one))) {
    reader.fault(
      "bazel-scope",
      `has "${pattern2}"; use target patterns such as //services/... or -//services/old/...`
    );
  }
  return {
    path: reader.text("bazel-path"),
    startupOptions: readOptions(reader, "bazel-startup-options"),
    queryOptions: readOptions(reader, "bazel-query-options"),
    kinds: kinds3,
    scope
  };
}
function readOptions(reader, input) {
  const options = reader.list(input);
  for (const option of options.filter((one) => !one.startsWith("-"))) {
    reader.fault(input, `has "${option}"; write each option as --name=value`);
  }
  return options;
}
function isTargetPattern(text2) {
  return /^-?\/\/[^:]*(:[^:]+)?$/.test(text2);
}
function isInScope(label, patterns) {
  if (patterns.length === 0) return true;
  const decisive = patterns.findLast((pattern2) => matches(pattern2.replace(/^-/, ""), label));
  return decisive === void 0 ? patterns.every((pattern2) => pattern2.startsWith("-")) : !decisive.startsWith("-");
}
function matches(pattern2, label) {
  const [, folder = "", name] = /^\/\/([^:]*)(?::(.+))?$/.exec(pattern2) ?? [];
  const [, ownFolder = "", ownName = ""] = /^@{0,2}\/\/([^:]*):(.*)$/s.exec(label) ?? [];
  const isAnyName = name === void 0 || /^(all|\*|all-targets)$/.test(name);
  if (folder === "..." || folder.endsWith("/...")) {
    const top = folder.replace(/\/?\.\.\.$/, "");
    return isAnyName && (top === "" || ownFolder === top || ownFolder.startsWith(`${top}/`));
  }
  if (folder !== ownFolder) return false;
  return name === void 0 ? ownName === folder.slice(folder.lastIndexOf("/") + 1) : isAnyName || name === ownName;
}
var TargetFilter = class {
  #kinds;
  #scope;
  /** Whether any target has been accepted. */
  hasMatched = false;
  constructor({ kinds: kinds3, scope }) {
    this.#kinds = compileGlobs(kinds3);
    this.#scope = scope;
  }
  /** Generated files are not accepted: their rule represents them. */
  accepts({ kind, ruleClass, label }) {
    if (kind === "generated" || !isInScope(label, this.#scope)) return false;
    const names = ruleClass === "" ? [kind] : [kind, ruleClass];
    const decisive = this.#kinds.findLast(({ pattern: pattern2 }) => names.some((name) => pattern2.test(name)));
    const isAccepted = this.#kinds.length === 0 || decisive?.isExclusion === false;
    this.hasMatched ||= isAccepted;
    return isAccepted;
  }
};

// src/action/providers/bazel/build-proto.ts
var kinds = /* @__PURE__ */ new Map([
  [2, "rule"],
  [3, "source"],
  [4, "generated"],
  [5, "other"],
  [6, "other"]
]);
var inputField = { rule: 5, generated: 2 };
var nameField = 1;
var ruleClassField = 2;
var subincludeField = 3;
var resultField = 1;
async function* readTargets(stream) {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const reader = new ProtoReader(rest);
    for (let field = reader.next(); field !== null; field = reader.next()) {
      if (field.number === resultField) yield readTarget(field.bytes);
    }
    rest = rest.subarray(reader.position);
  }
  if (rest.length > 0) throw new RangeError("bazel query ended in the middle of a target");
}
function readTarget(bytes) {
  for (const { number, bytes: content } of fieldsOf(bytes)) {
    const kind = kinds.get(number);
    if (kind === void 0) continue;
    let label = "";
    let ruleClass = "";
    const loads = [];
    const inputs = [];
    for (const field of fieldsOf(content)) {
      if (field.number === nameField) label = field.bytes.toString();
      if (kind === "rule" && field.number === ruleClassField) ruleClass = field.bytes.toString();
      if (kind === "source" && field.number === subincludeField) loads.push(field.bytes.toString());
      if (field.number === inputField[kind]) inputs.push(field.bytes.toString());
    }
    return { kind, label, ruleClass, loads, inputs, bytes: content };
  }
  throw new RangeError("bazel query printed a target of an unknown kind");
}
function* fieldsOf(bytes) {
  const reader = new ProtoReader(bytes);
  for (let field = reader.next(); field !== null; field = reader.next()) yield field;
}
var ProtoReader = class {
  #bytes;
  /** The end of the last whole field. */
  position = 0;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  /** The next field; null when no whole one is left. A varint field has no bytes. */
  next() {
    const tag = this.#varint(this.position);
    if (tag === null) return null;
    const number = Math.floor(tag.value / 8);
    const content = this.#content(tag.value % 8, tag.end);
    if (content === null || content.end > this.#bytes.length) return null;
    this.position = content.end;
    return { number, bytes: this.#bytes.subarray(content.start, content.end) };
  }
  #content(wireType, at2) {
    switch (wireType) {
      case 0: {
        const number = this.#varint(at2);
        return number && { start: number.end, end: number.end };
      }
      case 1:
        return { start: at2, end: at2 + 8 };
      case 2: {
        const length = this.#varint(at2);
        return length && { start: length.end, end: length.end + length.value };
      }
      case 5:
        return { start: at2, end: at2 + 4 };
      default:
        throw new RangeError("bazel query printed something other than targets");
    }
  }
  #varint(at2) {
    let value = 0;
    for (let index = 0; index < 10; index++) {
      const byte = this.#bytes[at2 + index];
      if (byte === void 0) return null;
      value += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) return { value, end: at2 + index + 1 };
    }
    throw new RangeError("bazel query printed a number that is too long");
  }
};

// src/action/providers/bazel/target-comparison.ts
import { hash } from "node:crypto";

// src/action/providers/repository-paths.ts
import { posix, relative as relative2, sep } from "node:path";
var mostHops = 40;
async function readLinks(git, symlinks) {
  const destinations = new Map((await readFiles(git, symlinks)).map(({ path, text: text2 }) => [path, text2]));
  const links = /* @__PURE__ */ new Map();
  for (const link of destinations.keys()) {
    for (const passed of pathsBehind(link, destinations)) {
      const known = links.get(passed);
      if (known) known.push(link);
      else links.set(passed, [link]);
    }
  }
  return links;
}
function* pathsBehind(link, destinations) {
  let path = destinationOf(link, destinations.get(link) ?? "");
  for (let hops = 0; hops < mostHops; hops++) {
    yield path;
    const next = [path, ...foldersOf(path)].find((folder) => destinations.has(folder));
    if (next === void 0) return;
    yield next;
    path = posix.join(destinationOf(next, destinations.get(next) ?? ""), path.slice(next.length));
  }
}
function destinationOf(link, text2) {
  const path = posix.isAbsolute(text2) ? text2 : posix.join(posix.dirname(link), text2);
  return path.replace(/^\.$|\/$/, "");
}
function* foldersOf(path) {
  for (let folder = parentOf(path); folder !== null; folder = parentOf(folder)) yield folder;
}
async function* withLinks(files2, sides) {
  for await (const { path, isSubmodule, isAtBase, isAtHead } of files2) {
    const before = isAtBase ? ["base", "target"] : [];
    yield { path, isSubmodule, sides: isAtHead ? [...before, "head"] : before };
    for (const side of ["base", "head", "target"])
      for (const link of linksTo(path, sides[side].links)) yield { path: link, isSubmodule, sides: [side] };
  }
}
function* linksTo(path, links) {
  if (links.size === 0) return;
  const found = /* @__PURE__ */ new Set([path]);
  for (const shown of found) {
    for (const place of [shown, ...foldersOf(shown)])
      for (const link of links.get(place) ?? []) found.add(link);
  }
  found.delete(path);
  yield* found;
}
function pathWithin(root, path) {
  const inner = relative2(root, path).replaceAll(sep, "/");
  return inner === ".." || inner.startsWith("../") ? null : inner;
}
function parentOf(path) {
  return path === "" ? null : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
function foldersAbove(folders) {
  const above = /* @__PURE__ */ new Set();
  for (const folder of folders) {
    for (let parent = parentOf(folder); parent !== null && !above.has(parent); parent = parentOf(parent)) {
      above.add(parent);
    }
  }
  return above;
}

// src/action/providers/bazel/target-comparison.ts
var TargetComparison = class {
  #changedFiles;
  #prefix;
  #filter;
  /** Digests of the base's targets that have not been found at the head. */
  #base = /* @__PURE__ */ new Map();
  #head = /* @__PURE__ */ new Map();
  /** The rules that differ between the head and the target branch. */
  #rulesOfTargetBranch = [];
  /** The packages of the target branch that changed files lie in or are loaded by. */
  #touched;
  #dependents = /* @__PURE__ */ new Map();
  #hidden = /* @__PURE__ */ new Set();
  #changed = /* @__PURE__ */ new Set();
  /** The changed files that Bazel knows, on each side. */
  #known = { base: /* @__PURE__ */ new Set(), head: /* @__PURE__ */ new Set() };
  /** @param prefix the path of Bazel's workspace in the repository: empty, or with a trailing slash. */
  constructor(changedFiles2, prefix, filter) {
    this.#changedFiles = changedFiles2;
    this.#prefix = prefix;
    this.#filter = filter;
    this.#touched = foldersAbove(changedFiles2.keys());
  }
  addBase(target) {
    this.#base.set(target.label, digest(target));
    this.#note(target, this.#known.base);
  }
  addHead(target) {
    const { label } = target;
    const own = digest(target);
    const isSame = this.#base.get(label) === own;
    this.#base.delete(label);
    this.#head.set(label, own);
    if (this.#note(target, this.#known.head) || !isSame) this.#changed.add(label);
    this.#addDependent(target);
  }
  /** Adds the targets of the branch that the head will be merged into. */
  addOfTargetBranch(target) {
    const { label, kind } = target;
    const loaded = /* @__PURE__ */ new Set();
    this.#note(target, loaded);
    this.#addDependent(target);
    if (kind === "rule" && this.#head.get(label) !== digest(target)) this.#rulesOfTargetBranch.push(label);
    if ([...loaded].some((path) => this.#changedFiles.has(path))) this.#touched.add(this.#folderOf(label));
  }
  #addDependent({ label, inputs }) {
    for (const input of inputs) {
      const known = this.#dependents.get(input);
      if (known) known.push(label);
      else this.#dependents.set(input, [label]);
    }
  }
  /** Records the files that a target makes known, and whether the target is uploaded. Returns whether the target is a changed file. */
  #note(target, known) {
    const { label, kind, loads } = target;
    if (this.#filter.accepts(target)) this.#hidden.delete(label);
    else this.#hidden.add(label);
    const path = this.#prefix + pathOf(label);
    const isChangedFile = kind === "source" && this.#changedFiles.has(path);
    if (isChangedFile) known.add(path);
    for (const load of loads) known.add(this.#prefix + pathOf(load));
    return isChangedFile;
  }
  /** Whether Bazel knows a changed file on each side on which it exists, so that its targets reflect the change. */
  knows({ path, isAtBase, isAtHead, isSubmodule }) {
    const { base, head } = this.#known;
    return !isSubmodule && (!isAtBase || base.has(path)) && (!isAtHead || head.has(path));
  }
  /**
   * Changed targets, removed ones, and all that are built from them. A rule of the target branch may use any changed file in its package,
   * by a variable, a macro or a glob: neither the base nor the head shows how it changes.
   */
  *impacted() {
    const rules = this.#rulesOfTargetBranch.filter((label) => this.#touched.has(this.#folderOf(label)));
    const impacted = /* @__PURE__ */ new Set([...this.#changed, ...this.#base.keys(), ...rules]);
    for (const label of impacted) {
      for (const dependent of this.#dependents.get(label) ?? []) impacted.add(dependent);
      if (!this.#hidden.has(label)) yield label;
    }
  }
  /** The folder of a target's package, relative to the repository's root. */
  #folderOf(label) {
    const [, folder = ""] = /^@{0,2}\/\/([^:]*):/.exec(label) ?? [];
    return (this.#prefix + folder).replace(/\/$/, "");
  }
};
function digest({ bytes }) {
  return hash("sha256", bytes, "buffer").readUIntBE(0, 6);
}
function pathOf(label) {
  const [, folder, name = ""] = /^@{0,2}\/\/([^:]*):(.*)$/s.exec(label) ?? [];
  return folder ? `${folder}/${name}` : name;
}

// src/action/providers/bazel/bazel.ts
var everyTarget = "//...:all-targets";
var format = ["--output=proto", "--noproto:locations", "--proto:include_synthetic_attribute_hash"];
async function targetsByBazel(change) {
  var _stack = [];
  try {
    const { git, baseSha, headSha, targetSha, temporary, bazel } = change;
    const directory = await mkdtemp(join4(temporary, "trainyard-bazel-"));
    const prefix = await gitLine(git, "rev-parse", "--show-prefix") ?? "";
    const checkout = __using(_stack, await addWorktree(git, join4(directory, "checkout"), baseSha), true);
    const workspace = { ...git, cwd: join4(checkout.path, prefix) };
    const outputBase = join4(directory, "output");
    const filter = new TargetFilter(bazel);
    const files2 = await changedFilesByPath(change);
    const comparison = new TargetComparison(files2, prefix, filter);
    for await (const target of query(workspace, outputBase, bazel)) comparison.addBase(target);
    await runGit(workspace, "checkout", "--quiet", "--detach", headSha);
    for await (const target of query(workspace, outputBase, bazel)) comparison.addHead(target);
    if (targetSha !== baseSha) {
      await runGit(workspace, "checkout", "--quiet", "--detach", targetSha);
      for await (const target of query(workspace, outputBase, bazel)) comparison.addOfTargetBranch(target);
    }
    if (!filter.hasMatched)
      return { all: true, because: "Bazel lists no target that could be impacted, so the impact is unknown" };
    const { named, unknown } = await unknownFiles(files2.values(), comparison, change);
    if (unknown !== null) return { all: true, because: `${unknown}, and no line of targets-paths names it` };
    return { all: false, targets: batched(/* @__PURE__ */ new Set([...comparison.impacted(), ...named])) };
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
async function changedFilesByPath({ git, baseSha, headSha }) {
  const changed = /* @__PURE__ */ new Map();
  for await (const file of changedFilesOfBothSides(git, baseSha, headSha)) changed.set(file.path, file);
  return changed;
}
async function unknownFiles(files2, comparison, change) {
  const matcher = new PathMatcher(change.rules);
  const named = /* @__PURE__ */ new Set();
  let starlark = null;
  for (const file of files2) {
    const { path } = file;
    if (matcher.addTargets(path, named)) continue;
    if (!comparison.knows(file)) return { named, unknown: `Bazel does not list ${path}` };
    if (!path.endsWith(".bzl")) continue;
    starlark ??= starlarkOfBothSides(change);
    if ((await starlark).has(basename(path)))
      return { named, unknown: `the workspace's definition may load ${path}` };
  }
  named.delete(noTarget);
  return { named, unknown: null };
}
async function starlarkOfBothSides({ git, baseSha, headSha }) {
  return (await starlarkOfRepositories(git, baseSha)).union(await starlarkOfRepositories(git, headSha));
}
async function* query(git, outputBase, { path, startupOptions, queryOptions }) {
  const startup = [`--output_base=${outputBase}`, "--max_idle_secs=15", ...startupOptions];
  const args = [...startup, "query", ...queryOptions, "--order_output=no", ...format, everyTarget];
  const program = { ...git, file: path ?? "bazel", label: "bazel query", args };
  try {
    yield* readTargets(printedBy(program, "keep"));
  } catch (error2) {
    if (path !== null || !(error2 instanceof ProgramFailed && error2.isMissing)) throw error2;
    yield* readTargets(printedBy({ ...program, file: "bazelisk" }, "keep"));
  }
}
async function addWorktree(git, path, sha) {
  await runGit(git, "worktree", "add", "--quiet", "--detach", path, sha);
  return {
    path,
    async [Symbol.asyncDispose]() {
      const signal = AbortSignal.timeout(3e4);
      await runGit({ ...git, signal }, "worktree", "remove", "--force", path);
    }
  };
}
async function starlarkOfRepositories(git, sha) {
  const isDefinition = (path) => /(^|\/)(WORKSPACE|MODULE|REPO)[^/]*$|\.MODULE\.bazel$/.test(path);
  const tree = await scanTree(git, sha, (path) => isDefinition(path) || path.endsWith(".bzl"));
  const files2 = await readFiles(git, tree.files);
  const named = ({ text: text2 }) => text2.match(/[^\s/:"']+\.bzl/g) ?? [];
  const byName = Map.groupBy(files2, ({ path }) => posix2.basename(path));
  const names = new Set(files2.filter(({ path }) => isDefinition(path)).flatMap(named));
  for (const name of names)
    for (const file of byName.get(name) ?? []) for (const more of named(file)) names.add(more);
  return names;
}

// src/action/providers/cargo.ts
import { existsSync as existsSync5 } from "node:fs";
import { readFile as readFile2 } from "node:fs/promises";
import { basename as basename2, dirname as dirname2, join as join6, resolve as resolve2 } from "node:path";

// src/action/git/export-tree.ts
import { mkdir, mkdtemp as mkdtemp2, realpath, rm } from "node:fs/promises";
import { join as join5 } from "node:path";
async function exportTree(git, sha, temporary, name) {
  const directory = await realpath(await mkdtemp2(join5(temporary, "trainyard-tree-")));
  const root = join5(directory, name);
  const prefix = await gitLine(git, "rev-parse", "--show-prefix") ?? "";
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await exportTo(await atTop(git), sha, root, join5(directory, "index"));
    await mkdir(join5(root, prefix), { recursive: true });
  } catch (error2) {
    await remove();
    throw error2;
  }
  return { root, cwd: join5(root, prefix), [Symbol.asyncDispose]: remove };
}
async function exportTo(git, sha, directory, index) {
  const env2 = { ...git.env, GIT_INDEX_FILE: index, GIT_LFS_SKIP_SMUDGE: "1" };
  await runGit({ ...git, env: env2 }, "read-tree", sha);
  await runGit({ ...git, env: env2 }, "checkout-index", "--all", "--quiet", `--prefix=${directory}/`);
  await rm(index, { force: true });
  const { submodules } = await scanTree(git, sha, () => false);
  for (const submodule of submodules) {
    const inside = { ...git, cwd: join5(git.cwd, submodule.path) };
    if (!await holdsCommit(inside, submodule.sha)) continue;
    await exportTo(inside, submodule.sha, join5(directory, submodule.path), index);
  }
}
async function holdsCommit(inside, sha) {
  try {
    const prefix = await gitLine(inside, "rev-parse", "--show-prefix");
    if (prefix !== null && prefix !== "") return false;
    return await gitLine(inside, "rev-parse", "--quiet", "--verify", `${sha}^{commit}`) !== null;
  } catch {
    return false;
  }
}
async function atTop(git) {
  return { ...git, cwd: await gitLine(git, "rev-parse", "--show-toplevel") ?? git.cwd };
}

// src/action/providers/package-graph.ts
async function askSides({ baseSha, headSha, targetSha }, ask) {
  const base = await ask(baseSha, "base");
  const head = await ask(headSha, "head");
  return { base, head, target: targetSha === baseSha ? base : await ask(targetSha, "target") };
}
async function targetsByPackages(sides, change) {
  const matcher = new PathMatcher(change.rules);
  const base = new Owners(sides.base);
  const owners = {
    base,
    head: new Owners(sides.head),
    target: sides.target === sides.base ? base : new Owners(sides.target)
  };
  const named = /* @__PURE__ */ new Set();
  const changed = /* @__PURE__ */ new Set();
  const files2 = changedFilesOfBothSides(change.git, change.baseSha, change.headSha);
  for await (const file of withLinks(files2, sides)) {
    const { path, isSubmodule } = file;
    if (matcher.addTargets(path, named)) continue;
    if (isSubmodule) return everything(`${path} is a submodule`);
    for (const side of ["base", "head", "target"]) {
      const isOwned = owners[side].addOwners(path, changed);
      if (!isOwned && file.sides.includes(side)) return everything(unowned(path));
    }
  }
  for (const name of targetsOf(sides.base).symmetricDifference(targetsOf(sides.head))) changed.add(name);
  named.delete(noTarget);
  return withDependents(changed, sides, named);
}
function unowned(path) {
  return `${path} may belong to more than one package, or to none`;
}
function everything(what) {
  return { all: true, because: `${what}, and no line of targets-paths names it` };
}
function withDependents(changed, sides, named) {
  const workspaces = [sides.base, sides.head, sides.target];
  const packages = workspaces.flatMap((workspace) => workspace.packages);
  const dependents = /* @__PURE__ */ new Map();
  for (const { name, needs } of packages) for (const needed of needs) add(dependents, needed, name);
  for (const same of Map.groupBy(packages, ({ folder }) => folder).values())
    for (const { name } of same)
      for (const other of same) if (other.name !== name) add(dependents, name, other.name);
  for (const name of changed) {
    if (workspaces.some(({ neededByAll }) => neededByAll.has(name))) {
      return {
        all: true,
        because: `the pull request changes ${name}, which the workspace substitutes for a package of any source`
      };
    }
    for (const dependent of dependents.get(name) ?? []) changed.add(dependent);
  }
  const targets = workspaces.map(targetsOf).reduce((all, some) => all.union(some));
  return {
    all: false,
    targets: batched(new Set([...changed].filter((name) => targets.has(name)).concat(...named)))
  };
}
function targetsOf({ packages }) {
  return new Set(packages.filter(({ isTarget }) => isTarget).map(({ name }) => name));
}
var Owners = class {
  /** The packages that own everything below a folder. Empty for the folder of a package whose files may belong to other packages. */
  #folders = /* @__PURE__ */ new Map();
  #files = /* @__PURE__ */ new Map();
  #readers;
  constructor({ packages, inputs }) {
    for (const { folder } of packages) this.#folders.set(folder, []);
    for (const { name, ownFolders, ownFiles } of packages) {
      for (const folder of ownFolders) add(this.#folders, folder, name);
      for (const file of ownFiles) add(this.#files, file, name);
    }
    this.#readers = new PathMatcher(inputs);
  }
  /** Adds the packages that a file belongs to, and those that read it. Returns false if the file has no certain owner. */
  addOwners(path, found) {
    this.#readers.addTargets(path, found);
    const owners = [...this.#files.get(path) ?? [], ...this.#ownersOfFolder(path)];
    for (const name of owners) found.add(name);
    return owners.length > 0;
  }
  #ownersOfFolder(path) {
    for (let folder = path; folder !== null; folder = parentOf(folder)) {
      const owners = this.#folders.get(folder);
      if (owners) return owners;
    }
    return [];
  }
};
function add(map, key, name) {
  const names = map.get(key);
  if (names) names.push(name);
  else map.set(key, [name]);
}

// src/action/providers/cargo.ts
async function targetsByCargo(change) {
  return targetsByPackages(await askSides(change, (sha, side) => readWorkspace(change, sha, side)), change);
}
async function readWorkspace({ git, temporary }, sha, side) {
  var _stack = [];
  try {
    const exported = __using(_stack, await exportTree(git, sha, temporary, side), true);
    const { crates, folder: top, replacements: replacements2 } = await loadCrates(git, exported);
    const tree = await scanTree(git, sha, (path) => basename2(path) === "Cargo.toml");
    const containers = foldersAbove(crates.map(({ folder }) => folder));
    if (crates.length > 1) containers.add(top);
    return {
      packages: [...crates.map((crate) => packageOf(crate, containers, top)), ...strangers(tree, crates)],
      inputs: crates.flatMap(outerSources),
      neededByAll: replacements2,
      links: await readLinks(git, tree.symlinks)
    };
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function packageOf(crate, containers, top) {
  const { name, folder, needs, sources } = crate;
  const common = { name, isTarget: true, folder, needs };
  if (!containers.has(folder)) return { ...common, ownFolders: [folder], ownFiles: [] };
  const inner = sources.filter((source) => isBelow(source, folder));
  const ownFolders = new Set(
    inner.map((source) => parentOf(source) ?? "").filter((above) => above !== folder)
  );
  const manifest = folder === top ? [] : [`${folder}/Cargo.toml`];
  return { ...common, ownFolders: [...ownFolders], ownFiles: [...inner, ...manifest] };
}
function strangers({ files: files2 }, crates) {
  const listed2 = new Set(crates.map(({ folder }) => folder));
  return files2.flatMap(({ path }) => {
    const folder = parentOf(path) ?? "";
    if (listed2.has(folder)) return [];
    return { name: `./${folder}`, isTarget: false, folder, ownFolders: [], ownFiles: [], needs: [] };
  });
}
function outerSources({ name, folder, sources }) {
  return sources.filter((source) => !isBelow(source, folder)).map((source) => {
    const above = globOf(parentOf(source) ?? "");
    return { target: name, globs: [above === "" ? "**" : `${above}/**`] };
  });
}
function isBelow(path, folder) {
  return folder === "" || path.startsWith(`${folder}/`);
}
async function loadCrates(git, { root, cwd }) {
  const crates = /* @__PURE__ */ new Map();
  const wanted = /* @__PURE__ */ new Set();
  const add2 = ({ packages }) => {
    for (const { name, manifest_path, dependencies, targets } of packages) {
      const folder = pathWithin(root, dirname2(manifest_path));
      if (folder === null) continue;
      const sources = targets.map(({ src_path }) => pathWithin(root, src_path)).filter((path) => path !== null);
      crates.set(folder, { name, folder, needs: dependencies.map((needed) => needed.name), sources });
      for (const { path } of dependencies) if (path !== void 0) wanted.add(path);
    }
  };
  const metadata = await readMetadata({ ...git, cwd });
  add2(metadata);
  const replacing = await replacementFolders(metadata.workspace_root, cwd);
  for (const folder of replacing) wanted.add(folder);
  for (const path of wanted) {
    const isListed = crates.has(pathWithin(root, path) ?? "/");
    if (!isListed && existsSync5(join6(path, "Cargo.toml"))) add2(await readMetadata({ ...git, cwd }, path));
  }
  const names = replacing.flatMap((path) => crates.get(pathWithin(root, path) ?? "/")?.name ?? []);
  return {
    crates: [...crates.values()],
    folder: pathWithin(root, metadata.workspace_root) ?? "",
    replacements: new Set(names)
  };
}
async function readMetadata(git, folder) {
  const manifest = folder === void 0 ? [] : [`--manifest-path=${join6(folder, "Cargo.toml")}`];
  const args = ["metadata", "--format-version=1", "--no-deps", "--offline", ...manifest];
  return await jsonPrintedBy({ ...git, file: "cargo", label: "cargo metadata", args });
}
async function replacementFolders(workspaceRoot, cwd) {
  const files2 = ["Cargo.toml", ".cargo/config.toml", ".cargo/config"];
  const folders = /* @__PURE__ */ new Set();
  for (const directory of /* @__PURE__ */ new Set([workspaceRoot, cwd])) {
    for (const file of files2) {
      const text2 = await readFile2(join6(directory, file), "utf8").catch(() => "");
      for (const path of pathsOfReplacements(text2)) folders.add(resolve2(directory, path));
    }
  }
  return [...folders];
}
function* pathsOfReplacements(text2) {
  let isReplacing = false;
  for (const line of text2.split("\n")) {
    if (/^\s*\[/.test(line)) isReplacing = /^\s*\[\s*["']?(patch|replace)\b/.test(line);
    if (!isReplacing && !/^\s*(patch|replace)\b/.test(line)) continue;
    for (const [, path = ""] of line.matchAll(/\bpath\s*=\s*["']([^"']+)["']/g)) yield path;
  }
}

// src/action/providers/global-files.ts
var defaultWord = "default";
var workflows = [".github/workflows/**", ".github/actions/**"];
var nodePackages = [
  "**/package-lock.json",
  "**/npm-shrinkwrap.json",
  "**/yarn.lock",
  "**/pnpm-lock.yaml",
  "**/bun.lock",
  "**/pnpm-workspace.yaml",
  "**/.npmrc",
  "**/.yarnrc*",
  "**/.pnpmfile.*",
  "package.json"
];
var globsOf = {
  auto: workflows,
  bazel: [
    ...workflows,
    "**/{MODULE,WORKSPACE}*",
    "**/*.MODULE.bazel",
    "**/.bazelrc",
    "**/.bazelversion",
    "**/.bazelignore",
    "tools/bazel*"
  ],
  nx: [...workflows, ...nodePackages, "**/nx.json", "tsconfig*.json"],
  turborepo: [...workflows, ...nodePackages, "**/turbo.{json,jsonc}", "tsconfig*.json"],
  pnpm: [...workflows, ...nodePackages],
  yarn: [...workflows, ...nodePackages],
  npm: [...workflows, ...nodePackages],
  cargo: [...workflows, "**/Cargo.lock", "Cargo.toml", "**/.cargo/**", "**/rust-toolchain*"],
  go: [...workflows, "**/go.{mod,sum,work,work.sum}", "**/vendor/modules.txt"],
  paths: workflows,
  command: workflows,
  all: []
};
var findNothing = () => null;
function globalFileFinder(by, globs, provider) {
  const all = globs.flatMap((glob2) => glob2 === defaultWord ? globsOf[provider] : [glob2]);
  if (all.length === 0) return findNothing;
  const matcher = new PathMatcher([{ target: "", globs: all }]);
  return (paths) => {
    const path = paths.find((one) => matcher.names(one));
    return path === void 0 ? null : `the pull request changes ${path}, which ${by} names`;
  };
}
async function globalImpact(finders, change) {
  if (finders.every((find) => find === findNothing)) return null;
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    for (const find of finders) {
      const because = find(paths);
      if (because !== null) return { all: true, because };
    }
  }
  return null;
}

// src/action/providers/go/packages.ts
import { existsSync as existsSync6 } from "node:fs";
import { readFile as readFile3 } from "node:fs/promises";
import { dirname as dirname3, join as join7 } from "node:path";
var EmbedsBuiltFiles = class extends Error {
  name = "EmbedsBuiltFiles";
};
var mostFolders = 500;
async function listPackages(git, { root, cwd }, folders, localModules2) {
  const here = { ...git, cwd };
  const modules = await goList.modules(here);
  const listed2 = await goList.packages(
    here,
    modules.map((directory) => `${directory}/...`)
  );
  const known = new Set(listed2.map(({ directory }) => directory));
  const left = folders.map((folder) => join7(root, folder)).filter((directory) => !known.has(directory) && modules.includes(moduleOf(directory, root)));
  for (let start = 0; start < left.length; start += mostFolders) {
    listed2.push(...await goList.packages(here, left.slice(start, start + mostFolders)));
  }
  const packages = /* @__PURE__ */ new Map();
  const asked = /* @__PURE__ */ new Set();
  while (listed2.length > 0) {
    const imports2 = /* @__PURE__ */ new Set();
    for (const one of listed2.splice(0)) {
      const folder = one.directory === "" ? null : pathWithin(root, one.directory);
      if (folder === null || packages.has(one.name)) continue;
      const leftOut = await importsLeftOut(one);
      for (const path of leftOut)
        if (localModules2.some((module) => isWithin(path, module))) imports2.add(path);
      packages.set(one.name, {
        name: one.name,
        folder,
        files: one.files,
        imports: [...one.imports, ...leftOut]
      });
    }
    const unknown = [...imports2].filter((path) => !packages.has(path) && !asked.has(path));
    for (const path of unknown) asked.add(path);
    if (unknown.length > 0) listed2.push(...await goList.packages(here, unknown));
  }
  return [...packages.values()];
}
function moduleOf(directory, root) {
  for (let above = directory; above !== root; above = dirname3(above)) {
    if (existsSync6(join7(above, "go.mod"))) return above;
  }
  return root;
}
function isWithin(path, module) {
  return path === module || path.startsWith(`${module}/`);
}
async function importsLeftOut({ directory, ignored }) {
  const texts = await Promise.all(ignored.map((file) => readFile3(join7(directory, file), "utf8")));
  return texts.flatMap((text2) => [...text2.matchAll(/["`]([^"`\s]+)["`]/g)].map(([, path = ""]) => path));
}
var files = [
  ...["GoFiles", "CgoFiles", "TestGoFiles", "XTestGoFiles", "IgnoredGoFiles", "InvalidGoFiles"],
  ...["EmbedFiles", "TestEmbedFiles", "XTestEmbedFiles"],
  ...["CFiles", "CXXFiles", "MFiles", "FFiles", "SFiles", "SwigFiles", "SwigCXXFiles", "SysoFiles"]
];
var imports = ["Imports", "TestImports", "XTestImports"];
var separator = "\0";
var joined = (fields3) => fields3.map((field) => `{{join .${field} "\\x00"}}`).join('{{"\\x00"}}');
var columns = [
  "{{.ImportPath}}",
  "{{.Dir}}",
  '{{with .Error}}{{printf "%q" .Err}}{{end}}',
  joined(["IgnoredGoFiles"]),
  joined(files),
  joined(imports)
];
var template = `{{if not (or .Standard .ForTest)}}${columns.join('{{"\\t"}}')}{{end}}`;
var goList = {
  /** The directories of the main modules. */
  async modules(git) {
    return printed(git, "list", "-m", "-f", "{{.Dir}}");
  },
  /** The packages that patterns match, and all that these and their tests import. @throws StepError if Go cannot read one of them */
  async packages(git, patterns) {
    const lines = await printed(git, "list", "-e", "-deps", "-test", "-f", template, ...patterns);
    const listed2 = lines.map(parse);
    const names = new Set(listed2.map(({ name }) => name));
    return listed2.filter(
      ({ name }) => !(name.endsWith(".test") && names.has(name.slice(0, -".test".length)))
    );
  }
};
function parse(line) {
  const [name = "", directory = "", error2 = "", ...lists] = line.split("	");
  const [ignored = [], files2 = [], imports2 = []] = lists.map(
    (list) => list.split(separator).filter((item) => item !== "")
  );
  const isLeftOut = error2.includes("build constraints exclude all Go files");
  if (directory !== "" && /pattern .*: no matching files found/.test(error2))
    throw new EmbedsBuiltFiles(
      `${name} embeds files that are not committed: ${error2.replaceAll(/^"|"$/g, "")}`
    );
  if (error2 !== "" && directory !== "" && !isLeftOut) {
    throw new StepError("Go cannot read a package", `${name}: ${error2}. Fix it, then push again.`);
  }
  return { name, directory, files: files2, imports: imports2, ignored };
}
async function printed(git, ...args) {
  const program = { ...git, file: "go", label: `go ${args.slice(0, 2).join(" ")}`, args };
  const lines = [];
  for await (const batch of itemsPrintedBy(program, "\n", "keep")) lines.push(...batch);
  return lines;
}

// src/action/providers/go/go.ts
var embedAdvice = "commit a placeholder that the pattern matches, and name the files that they are built from in targets-paths, with this package as a target";
async function targetsByGo(change) {
  try {
    return await targetsByPackages(
      await askSides(change, (sha, side) => readWorkspace2(change, sha, side)),
      change
    );
  } catch (error2) {
    if (!(error2 instanceof EmbedsBuiltFiles)) throw error2;
    return { all: true, because: `${error2.message}; ${embedAdvice}` };
  }
}
async function readWorkspace2({ git, temporary }, sha, side) {
  var _stack = [];
  try {
    const exported = __using(_stack, await exportTree(git, sha, temporary, side), true);
    const tree = await scanTree(git, sha, (path) => path.endsWith(".go") || isModuleFile(path));
    const sources = tree.files.filter(({ path }) => !isModuleFile(path));
    const folders = new Set(sources.map(({ path }) => parentOf(path) ?? ""));
    const modules = await localModules(git, tree.files);
    const packages = await listPackages(git, exported, [...folders].filter(isSeenByGo), modules);
    const containers = foldersAbove(packages.map(({ folder }) => folder));
    return {
      packages: packages.map((one) => packageOf2(one, containers)),
      inputs: [],
      neededByAll: /* @__PURE__ */ new Set(),
      links: await readLinks(git, tree.symlinks)
    };
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function packageOf2({ name, folder, files: files2, imports: imports2 }, containers) {
  const at2 = folder === "" ? "" : `${folder}/`;
  return {
    name,
    // Vendored packages come from elsewhere.
    isTarget: !/(^|\/)vendor\//.test(folder),
    folder,
    ownFolders: containers.has(folder) ? [] : [`${at2}testdata`],
    ownFiles: files2.map((file) => at2 + file),
    needs: imports2
  };
}
function isModuleFile(path) {
  return /(^|\/)go\.(mod|work)$/.test(path);
}
async function localModules(git, files2) {
  const moduleFiles = files2.filter(({ path }) => isModuleFile(path));
  const paths = (await readFiles(git, moduleFiles)).flatMap(({ text: text2 }) => [
    ...text2.matchAll(/^\s*module\s+"?([^\s"]+)/gm),
    ...text2.matchAll(/^\s*(?:replace\s+)?"?([^\s"]+)"?(?:\s+v\S+)?\s+=>\s+"?\.{1,2}\//gm)
  ]);
  return paths.map(([, path = ""]) => path);
}
function isSeenByGo(folder) {
  return !folder.split("/").some((name) => /^[._]|^(testdata|vendor)$/.test(name));
}

// src/action/providers/nx.ts
import { existsSync as existsSync7 } from "node:fs";
import { mkdir as mkdir2, readFile as readFile4, symlink } from "node:fs/promises";
import { basename as basename3, dirname as dirname4, join as join8, posix as posix5 } from "node:path";

// src/action/providers/workspaces/workspaces.ts
import { posix as posix4 } from "node:path";

// src/action/providers/workspaces/packages.ts
import { posix as posix3 } from "node:path";
function linkedFolders(links, manifests, prefix) {
  const within = (path) => path.startsWith(prefix) ? path.slice(prefix.length) : "";
  const ends = [...links].filter(([end]) => manifests.has(within(end)));
  return new Map(ends.flatMap(([end, paths]) => paths.map((path) => [within(path), within(end)])));
}
function packagesOf(manifests, members, names, prefix) {
  const needs = new Map(
    [...manifests].map(([folder, manifest]) => [folder, names.all(dependenciesOf(manifest, folder))])
  );
  const needed = new Set([...needs.values()].flat());
  const packages = [...manifests].filter(
    ([folder, { name }]) => name !== void 0 || members.has(folder) || needed.has(names.of(folder))
  );
  const containers = foldersAbove(
    packages.flatMap(([folder]) => members.has(folder) || needed.has(names.of(folder)) ? [folder] : [])
  );
  return packages.map(([folder]) => {
    const isTarget = members.has(folder);
    const isRoot = folder === ".";
    const at2 = isRoot ? prefix.replace(/\/$/, "") : prefix + folder;
    return {
      name: names.of(folder),
      isTarget,
      folder: at2,
      ownFolders: isTarget && !isRoot && !containers.has(folder) ? [at2] : [],
      ownFiles: isTarget && !isRoot ? [`${at2}/package.json`] : [],
      needs: needs.get(folder) ?? []
    };
  });
}
function replacements({ root, settings }, names) {
  const { overrides, catalog, catalogs } = settings;
  const ranges = textsIn([root.overrides, root.resolutions, root.pnpm, overrides, catalog, catalogs]);
  return new Set(names.all(ranges.flatMap((range) => aimsOf(range, "."))));
}
function workspaceGlobs({ workspaces = [] }) {
  return "packages" in workspaces ? workspaces.packages ?? [] : workspaces;
}
function dependenciesOf(manifest, folder) {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  return [dependencies, devDependencies, optionalDependencies, peerDependencies].flatMap((kind) => Object.entries(kind ?? {})).flatMap(([name, range]) => [name, ...aimsOf(range, folder)]);
}
function aimsOf(range, folder) {
  const [, alias] = /^(?:npm|workspace):((?:@[^/]+\/)?[^@/]+)@/.exec(range) ?? [];
  const [, path = range] = /^(?:file|link|portal|workspace):(.+)$/.exec(range) ?? [];
  const isPath = path !== range || /^\.{0,2}\//.test(range);
  const linked = isPath ? [folderNeed(posix3.join(folder, path)), folderNeed(path)] : [];
  return [...alias === void 0 ? [] : [alias], ...linked];
}
function folderNeed(folder) {
  return `./${posix3.join(folder).replace(/^\.$|\/$/, "")}`;
}
function textsIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
var PackageNames = class {
  #byFolder = /* @__PURE__ */ new Map();
  constructor(manifests) {
    for (const [folder, { name }] of manifests) {
      const need = folderNeed(folder);
      this.#byFolder.set(need, name ?? (folder === "." ? need : folder));
    }
  }
  of(folder) {
    return this.#byFolder.get(folderNeed(folder)) ?? folder;
  }
  /** Replaces folders by the names of the packages there. A path inside a package, such as a tarball, belongs to that package. */
  all(needs) {
    return needs.map((need) => need.startsWith("./") ? this.#nameAt(need) : need);
  }
  #nameAt(need) {
    for (let folder = need; folder.length > 1; folder = posix3.dirname(folder)) {
      const name = this.#byFolder.get(folder);
      if (name !== void 0) return name;
    }
    return this.#byFolder.get("./") ?? need;
  }
};

// src/action/providers/workspaces/workspaces.ts
async function targetsByWorkspaces(tool, change) {
  const sides = await askSides(change, (sha) => readWorkspace3(tool, change.git, sha));
  if (sides.head.packages.every(({ isTarget }) => !isTarget)) {
    const where = tool === "pnpm" ? "`packages` of pnpm-workspace.yaml" : "`workspaces` of package.json";
    throw new StepError(
      "There is no workspace",
      `Nothing tracked by git matches ${where}. Use another provider.`
    );
  }
  return targetsByPackages(sides, change);
}
async function readWorkspace3(tool, git, sha) {
  const prefix = await gitLine(git, "rev-parse", "--show-prefix") ?? "";
  const settingsFile = `${prefix}pnpm-workspace.yaml`;
  const isManifest = (path) => posix4.basename(path) === "package.json" && !/(^|\/)node_modules\//.test(path);
  const tree = await scanTree(
    git,
    sha,
    (path) => path === settingsFile || path.startsWith(prefix) && isManifest(path)
  );
  const link = tree.symlinks.find(({ path }) => path.startsWith(prefix) && isManifest(path));
  if (link !== void 0) {
    throw new StepError(
      "A package.json cannot be read",
      `${link.path} is a symbolic link. Replace it with a file.`
    );
  }
  const manifests = /* @__PURE__ */ new Map();
  let settings = {};
  for (const { path, text: text2 } of await readFiles(git, tree.files)) {
    if (path === settingsFile) settings = await parseSettings(text2);
    else manifests.set(posix4.relative(prefix || ".", posix4.dirname(path)) || ".", parseManifest(path, text2));
  }
  const root = manifests.get(".") ?? {};
  const globs = tool === "pnpm" ? settings.packages ?? [] : workspaceGlobs(root);
  const links = await readLinks(git, tree.symlinks);
  const linked = linkedFolders(links, manifests, prefix);
  const members = memberFolders(tool, globs.map(String), manifests, linked);
  const names = new PackageNames(manifests);
  return {
    packages: packagesOf(manifests, members, names, prefix),
    inputs: [],
    neededByAll: replacements({ root, settings }, names),
    links
  };
}
async function nodeToolAt(git, sha) {
  const names = /* @__PURE__ */ new Set();
  for await (const paths of gitItems(git, "\0", "ls-tree", "-z", "--name-only", sha))
    for (const path of paths) names.add(path);
  if (names.has("pnpm-workspace.yaml")) return "pnpm";
  return names.has("yarn.lock") ? "yarn" : "npm";
}
async function parseSettings(text2) {
  const { parse: parse3 } = await Promise.resolve().then(() => __toESM(require_dist(), 1));
  const settings = Object(parse3(text2));
  return { ...settings, packages: Array.isArray(settings.packages) ? settings.packages : [] };
}
function parseManifest(path, text2) {
  try {
    return JSON.parse(text2);
  } catch (error2) {
    throw new StepError("A package.json cannot be read", `${path} is not JSON: ${error2}. Fix it.`);
  }
}
function foldersMatching(globs, folders) {
  const patterns = compileGlobs(globs.map((glob2) => glob2.replace(/\/+$/, "")));
  return folders.filter((folder) => includes(patterns, folder));
}
function memberFolders(tool, globs, manifests, linked) {
  const folders = [...manifests.keys()];
  const members = new Set(
    foldersMatching(globs, [...folders, ...linked.keys()]).map((folder) => linked.get(folder) ?? folder)
  );
  if (tool !== "yarn") return members;
  for (const member of members) {
    const inner = workspaceGlobs(manifests.get(member) ?? {});
    if (inner.length === 0 || member === ".") continue;
    const below = folders.flatMap(
      (folder) => folder.startsWith(`${member}/`) ? [posix4.relative(member, folder)] : []
    );
    for (const folder of foldersMatching(inner, below)) members.add(posix4.join(member, folder));
  }
  return members;
}

// src/action/providers/nx.ts
async function targetsByNx(change) {
  const nx = programOf(change);
  const sharedGlobs = /* @__PURE__ */ new Set();
  const sides = await askSides(change, async (sha, side) => {
    const { workspace, sharedInputs } = await readProjects(change, nx, sha, side);
    for (const glob2 of sharedInputs) sharedGlobs.add(glob2);
    return workspace;
  });
  const global = await globalImpact([globalFileFinder("nx.json", [...sharedGlobs], "nx")], change);
  if (global !== null) return global;
  const impact = await targetsByPackages(sides, change);
  if (impact.all) return impact;
  const targets = new Set(await affectedByNx(nx, change));
  for await (const batch of impact.targets) for (const target of batch) targets.add(target);
  return { all: false, targets: batched(targets) };
}
function programOf({ git }) {
  const env2 = { ...git.env, NX_DAEMON: "false", NX_TUI: "false", NO_COLOR: "1" };
  return { ...git, env: env2, file: localProgram("nx", git.cwd), label: "nx" };
}
async function affectedByNx(nx, { baseSha, headSha }) {
  const args = ["show", "projects", "--affected", `--base=${baseSha}`, `--head=${headSha}`, "--json"];
  const projects = await jsonPrintedBy({ ...nx, label: "nx show projects", args });
  if (Array.isArray(projects) && projects.every((item) => typeof item === "string")) return projects;
  throw new StepError("Nx printed an unknown format", "Use Nx 17 or later.");
}
async function readProjects({ git, temporary }, nx, sha, side) {
  var _stack = [];
  try {
    const prefix = await gitLine(git, "rev-parse", "--show-prefix") ?? "";
    const exported = __using(_stack, await exportTree(git, sha, temporary, side), true);
    const tree = await scanTree(git, sha, (path) => basename3(path) === "package.json");
    await linkInstalled(git, exported.root, tree.files);
    const { nodes, dependencies } = await readGraph(nx, exported.cwd);
    const settings = await readFile4(join8(exported.cwd, "nx.json"), "utf8").catch(() => "{}");
    const names = Object.keys(nodes);
    const folders = new Map(
      Object.entries(nodes).map(([name, { data }]) => [name, folderOf(prefix, data.root)])
    );
    const installed = await readWorkspace3(await nodeToolAt(git, sha), git, sha);
    const needed = new Set(installed.packages.flatMap(({ needs }) => needs));
    const neededFolders = installed.packages.filter(({ name }) => needed.has(name)).map(({ folder }) => folder);
    const containers = foldersAbove([...folders.values(), ...neededFolders]);
    const packages = Object.entries(nodes).map(([name, { data }]) => {
      const folder = folders.get(name) ?? "";
      const needs = [
        ...(dependencies[name] ?? []).map(({ target }) => target),
        ...neededProjects(data.targets, names)
      ];
      const ownFolders = containers.has(folder) ? [] : [folder];
      return { name, isTarget: true, folder, ownFolders, ownFiles: [], needs };
    });
    const inputs = Object.entries(nodes).flatMap(([target, { data }]) => {
      const globs = workspaceGlobs2(
        Object.values(data.targets ?? {}).map(({ inputs: inputs2 }) => inputs2),
        prefix
      );
      return globs.length === 0 ? [] : [{ target, globs }];
    });
    const workspace = {
      ...installed,
      packages: [...packages, ...connectors(installed.packages, packages)],
      inputs
    };
    return { workspace, sharedInputs: workspaceGlobs2(settings, prefix) };
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function connectors(installed, projects) {
  const byFolder = new Map(projects.map((project) => [project.folder, project.name]));
  return installed.flatMap((one) => {
    const connector = { ...one, isTarget: false, ownFolders: [], ownFiles: [] };
    const project = byFolder.get(one.folder);
    if (project === void 0) return [connector];
    return [
      { ...connector, needs: [...one.needs, project] },
      { ...connector, name: project }
    ];
  });
}
function folderOf(prefix, root) {
  return posix5.join(prefix, root).replace(/^\.$|\/$/, "");
}
async function readGraph(nx, cwd) {
  const file = join8(cwd, "..", "nx-graph.json");
  const env2 = {
    ...nx.env,
    NX_WORKSPACE_DATA_DIRECTORY: join8(cwd, ".nx/workspace-data"),
    NX_CACHE_PROJECT_GRAPH: "false"
  };
  for await (const _ of printedBy(
    { ...nx, cwd, env: env2, label: "nx graph", args: ["graph", `--file=${file}`] },
    "keep"
  )) ;
  const { graph } = JSON.parse(await readFile4(file, "utf8"));
  if (graph?.nodes && graph.dependencies) return graph;
  throw new StepError("Nx printed an unknown format", "Use Nx 17 or later.");
}
async function linkInstalled(git, root, manifests) {
  const checkout = await gitLine(git, "rev-parse", "--show-toplevel") ?? git.cwd;
  for (const folder of /* @__PURE__ */ new Set(["", ...manifests.map(({ path }) => posix5.dirname(path))])) {
    const installed = join8(checkout, folder, "node_modules");
    const place = join8(root, folder, "node_modules");
    if (!existsSync7(installed) || existsSync7(place)) continue;
    await mkdir2(dirname4(place), { recursive: true });
    await symlink(installed, place);
  }
}
function workspaceGlobs2(value, prefix) {
  const text2 = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return [...text2.matchAll(/"\{workspaceRoot\}\/([^"]+)"/g)].map(
    ([, glob2 = ""]) => withoutExclusion(posix5.join(prefix, glob2.replaceAll(/\{project(Name|Root)\}/g, "**")))
  );
}
function neededProjects(targets = {}, all) {
  const named = Object.values(targets).flatMap(({ inputs = [], dependsOn = [] }) => [...inputs, ...dependsOn]).flatMap((item) => Object(item).projects ?? []).filter(
    (name) => name !== "self" && name !== "dependencies" && name !== "{self}" && name !== "{dependencies}"
  );
  return named.every((name) => all.includes(name)) ? named : all;
}

// src/action/providers/turborepo.ts
import { posix as posix6 } from "node:path";

// node_modules/strip-json-comments/index.js
var singleComment = /* @__PURE__ */ Symbol("singleComment");
var multiComment = /* @__PURE__ */ Symbol("multiComment");
var stripWithoutWhitespace = () => "";
var stripWithWhitespace = (string, start, end) => string.slice(start, end).replaceAll(/[^\t\n\r ]/g, " ");
var isEscaped = (jsonString, quotePosition) => {
  let index = quotePosition - 1;
  let backslashCount = 0;
  while (jsonString[index] === "\\") {
    index -= 1;
    backslashCount += 1;
  }
  return Boolean(backslashCount % 2);
};
function stripJsonComments(jsonString, { whitespace = true, trailingCommas = false } = {}) {
  if (typeof jsonString !== "string") {
    throw new TypeError(`Expected argument \`jsonString\` to be a \`string\`, got \`${typeof jsonString}\``);
  }
  const strip = whitespace ? stripWithWhitespace : stripWithoutWhitespace;
  let isInsideString = false;
  let isInsideComment = false;
  let offset = 0;
  let buffer = "";
  let result = "";
  let commaIndex = -1;
  for (let index = 0; index < jsonString.length; index++) {
    const currentCharacter = jsonString[index];
    const nextCharacter = jsonString[index + 1];
    if (!isInsideComment && currentCharacter === '"') {
      const escaped = isEscaped(jsonString, index);
      if (!escaped) {
        isInsideString = !isInsideString;
      }
    }
    if (isInsideString) {
      continue;
    }
    if (!isInsideComment && currentCharacter === "/" && (nextCharacter === "/" || nextCharacter === "*")) {
      buffer += jsonString.slice(offset, index);
      offset = index;
      isInsideComment = nextCharacter === "/" ? singleComment : multiComment;
      index++;
    } else if (isInsideComment === singleComment && (currentCharacter === "\n" || currentCharacter === "\r")) {
      isInsideComment = false;
      buffer += strip(jsonString, offset, index);
      offset = index;
    } else if (isInsideComment === multiComment && currentCharacter === "*" && nextCharacter === "/") {
      index++;
      isInsideComment = false;
      buffer += strip(jsonString, offset, index + 1);
      offset = index + 1;
    } else if (trailingCommas && !isInsideComment) {
      if (commaIndex !== -1) {
        if (currentCharacter === "}" || currentCharacter === "]") {
          buffer += jsonString.slice(offset, index);
          result += strip(buffer, 0, 1) + buffer.slice(1);
          buffer = "";
          offset = index;
          commaIndex = -1;
        } else if (currentCharacter !== " " && currentCharacter !== "	" && currentCharacter !== "\r" && currentCharacter !== "\n") {
          buffer += jsonString.slice(offset, index);
          offset = index;
          commaIndex = -1;
        }
      } else if (currentCharacter === ",") {
        result += buffer + jsonString.slice(offset, index);
        buffer = "";
        offset = index;
        commaIndex = index;
      }
    }
  }
  const remaining2 = isInsideComment === singleComment ? strip(jsonString, offset) : jsonString.slice(offset);
  return result + buffer + remaining2;
}

// src/action/providers/turborepo.ts
async function targetsByTurborepo(change) {
  const globalGlobs = /* @__PURE__ */ new Set();
  const sides = await askSides(change, async (sha) => {
    const workspace = await readWorkspace3(await nodeToolAt(change.git, sha), change.git, sha);
    const tasks = await readTaskFiles(change.git, sha, workspace.packages);
    for (const glob2 of tasks.globalDependencies) globalGlobs.add(glob2);
    return addTasks(workspace, tasks);
  });
  const global = await globalImpact(
    [globalFileFinder("globalDependencies of turbo.json", [...globalGlobs], "turborepo")],
    change
  );
  if (global !== null) return global;
  const impact = await targetsByPackages(sides, change);
  if (impact.all) return impact;
  const targets = new Set(await affectedByTurborepo(change));
  for await (const batch of impact.targets) for (const target of batch) targets.add(target);
  return { all: false, targets: batched(targets) };
}
async function affectedByTurborepo({ git, baseSha, headSha }) {
  const env2 = {
    ...git.env,
    TURBO_SCM_BASE: baseSha,
    TURBO_SCM_HEAD: headSha,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1"
  };
  const args = ["ls", "--affected", "--output=json"];
  const file = localProgram("turbo", git.cwd);
  const answer = await jsonPrintedBy({ ...git, env: env2, file, label: "turbo ls", args });
  const names = namesIn(answer);
  if (names !== null) return names;
  throw new StepError("Turborepo printed an unknown format", "Use turbo 2.2 or later.");
}
function namesIn(answer) {
  const { packages } = Object(answer);
  if (!Array.isArray(packages?.items)) return null;
  const names = packages.items.map((item) => Object(item).name);
  return names.every((name) => typeof name === "string") ? names : null;
}
async function readTaskFiles(git, sha, packages) {
  const top = (await gitLine(git, "rev-parse", "--show-prefix") ?? "").replace(/\/$/, "");
  const folders = new Map(packages.map((one) => [one.folder, one]));
  const tree = await scanTree(git, sha, (path) => /(^|\/)turbo\.jsonc?$/.test(path));
  const globalDependencies = [];
  const needs = [];
  const inputs = [];
  for (const { path, text: text2 } of await readFiles(git, tree.files)) {
    const folder = path.includes("/") ? posix6.dirname(path) : "";
    const owner = folders.get(folder);
    if (folder !== top && owner === void 0) continue;
    const file = parse2(path, text2);
    const about = folder === top || owner === void 0 ? packages.filter(({ isTarget }) => isTarget) : [owner];
    for (const glob2 of file.globalDependencies ?? []) globalDependencies.push(globFrom(top, top, glob2));
    const parents = (file.extends ?? []).filter((name) => name !== "//");
    for (const { name } of about) for (const needed of parents) needs.push({ name, needed });
    for (const [key, task] of Object.entries({ ...file.pipeline, ...file.tasks })) {
      const only = about.filter(({ name }) => !key.includes("#") || key.startsWith(`${name}#`));
      for (const one of only) {
        for (const needed of packagesIn(task)) needs.push({ name: one.name, needed });
        const globs = outerGlobs(task).map((glob2) => globFrom(top, one.folder, glob2));
        if (globs.length > 0) inputs.push({ target: one.name, globs });
      }
    }
  }
  return { globalDependencies, needs, inputs };
}
function addTasks(workspace, { needs, inputs }) {
  const needed = Map.groupBy(needs, ({ name }) => name);
  const packages = workspace.packages.map((one) => {
    const more = needed.get(one.name)?.map((need) => need.needed) ?? [];
    return { ...one, needs: [...one.needs, ...more] };
  });
  return { ...workspace, packages, inputs: [...workspace.inputs, ...inputs] };
}
function packagesIn({ dependsOn = [], with: beside = [] }) {
  return [...dependsOn, ...beside].flatMap(
    (task) => task.includes("#") ? [task.slice(0, task.lastIndexOf("#"))] : []
  );
}
function outerGlobs({ inputs = [] }) {
  return inputs.filter((glob2) => /^\$TURBO_ROOT\$\/|(^|\/)\.\.\//.test(glob2) && !glob2.startsWith("!"));
}
function globFrom(top, folder, glob2) {
  const [, fromTop] = /^\$TURBO_ROOT\$\/(.*)$/.exec(glob2) ?? [];
  return withoutExclusion(posix6.join(fromTop === void 0 ? folder : top, fromTop ?? glob2));
}
function parse2(path, text2) {
  try {
    return Object(JSON.parse(stripJsonComments(text2, { trailingCommas: true })));
  } catch (error2) {
    throw new StepError("A turbo.json cannot be read", `${path}: ${error2}. Fix it.`);
  }
}

// src/action/providers/find-impact.ts
async function findImpact({ provider, impactAllPaths, impactAllFilters, workingDirectory }, { subject, workflow, env: env2 }, headSha, signal) {
  if (provider.name === "all") return { all: true, because: "the provider is `all`" };
  const git = { cwd: join9(workflow.workspace, workingDirectory), env: env2, signal };
  const { targetBranch } = subject.queue;
  const { targetSha, bases } = await findMergeBases(git, targetBranch, headSha);
  const [baseSha, ...more] = bases;
  if (more.length > 0)
    return { all: true, because: `the pull request and ${targetBranch} have several merge bases` };
  const name = provider.name === "auto" ? await detectBuildTool(git.cwd) : provider.name;
  const { filters, shellCommand, bazel } = provider;
  const read = (path) => path === "" ? [] : readFilterFile(workflow.workspace, path);
  const rules = [...provider.rules, ...await read(filters)];
  const forAll = (await read(impactAllFilters)).flatMap(({ globs }) => globs);
  const filterFiles = [filters, impactAllFilters].filter((path) => path !== "").map(globOf);
  const finders = [
    globalFileFinder("impact-all-paths", impactAllPaths, name),
    globalFileFinder(impactAllFilters, forAll, name),
    globalFileFinder("an input", filterFiles, name)
  ];
  const change = { git, baseSha, headSha, targetSha, rules, temporary: workflow.temporary, bazel };
  const moved = name === "command" ? null : await movedOnTarget(change);
  if (moved !== null)
    return {
      all: true,
      because: `${targetBranch} has moved or deleted ${moved}, which the pull request changes`
    };
  if (name === "paths") return targetsByPaths(change, finders);
  const global = await globalImpact(finders, change);
  if (global !== null) return global;
  try {
    return await askProvider(name, shellCommand, change);
  } catch (error2) {
    if (!(error2 instanceof ProgramFailed && error2.isMissing)) throw error2;
    throw new StepError(
      "The build tool is missing",
      `${asClause(error2.message)}. Install it before this step.`,
      {
        cause: error2
      }
    );
  }
}
async function movedOnTarget({ git, baseSha, headSha, targetSha }) {
  if (targetSha === baseSha) return null;
  const gone = /* @__PURE__ */ new Set();
  for await (const { path, isAtHead } of changedFilesOfBothSides(git, baseSha, targetSha))
    if (!isAtHead) gone.add(path);
  if (gone.size === 0) return null;
  let moved = null;
  for await (const paths of changedFiles(git, baseSha, headSha))
    moved ??= paths.find((path) => gone.has(path)) ?? null;
  return moved;
}
async function askProvider(name, shellCommand, change) {
  switch (name) {
    case "command":
      return targetsByCommand(shellCommand, change);
    case "pnpm":
    case "yarn":
    case "npm":
      return targetsByWorkspaces(name, change);
    case "cargo":
      return targetsByCargo(change);
    case "go":
      return targetsByGo(change);
    case "nx":
      return targetsByNx(change);
    case "turborepo":
      return targetsByTurborepo(change);
    case "bazel":
      return targetsByBazel(change);
  }
}
var bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
var processSubstitution = /[<>]\(/;
function targetsByCommand(shellCommand, { git, baseSha, headSha }) {
  const [substitution] = processSubstitution.exec(shellCommand) ?? [];
  if (substitution !== void 0) {
    const because = `targets-command contains ${substitution}…), whose failure bash ignores: write the output to a file first, and read the file`;
    return { all: true, because };
  }
  const env2 = { ...git.env, TRAINYARD_BASE_SHA: baseSha, TRAINYARD_HEAD_SHA: headSha };
  const program = { ...git, env: env2, file: "bash", label: "targets-command", args: [...bash, shellCommand] };
  return { all: false, targets: trimmed(itemsPrintedBy(program, "\n", "log")) };
}
async function* trimmed(batches) {
  for await (const lines of batches) yield lines.map((line) => line.trim()).filter((line) => line !== "");
}
async function targetsByPaths(change, finders) {
  const matcher = new PathMatcher(change.rules);
  const impacted = /* @__PURE__ */ new Set();
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const because = finders.map((find) => find(paths)).find((reason) => reason !== null);
    if (because !== void 0) return { all: true, because };
    for (const path of paths) {
      if (!matcher.addTargets(path, impacted)) {
        return { all: true, because: `no line of targets-paths names ${path}` };
      }
    }
  }
  impacted.delete(noTarget);
  return { all: false, targets: batched(impacted) };
}
var families = [
  [
    ["nx", ["nx.json"]],
    ["turborepo", ["turbo.json", "turbo.jsonc"]],
    ["pnpm", ["pnpm-workspace.yaml"]],
    ["yarn", ["yarn.lock"]],
    ["npm", ["package.json"]]
  ],
  [["cargo", ["Cargo.toml"]]],
  [["go", ["go.work", "go.mod"]]]
];
var bazelFiles = ["MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"];
async function detectBuildTool(directory) {
  const isThere = (file) => existsSync8(join9(directory, file));
  if (bazelFiles.some(isThere)) return "bazel";
  const tools = [];
  for (const family of families) {
    const found = family.find(([, files2]) => files2.some(isThere))?.[0];
    const isPackage = found === "yarn" || found === "npm";
    if (found && (!isPackage || await hasWorkspaces(directory))) tools.push(found);
  }
  const [tool, ...others] = tools;
  if (tool === void 0) {
    throw new StepError(
      "No build tool was found",
      "The top directory of the workspace contains no file of a known build tool. Set the input provider, or working-directory."
    );
  }
  if (others.length === 0) return tool;
  throw new StepError(
    "Several build tools were found",
    `Each of ${tools.join(", ")} covers only a part of the workspace. Set the input provider, with targets-paths for the rest, or use the provider \`command\`.`
  );
}
async function hasWorkspaces(directory) {
  const manifest = JSON.parse(await readFile5(join9(directory, "package.json"), "utf8"));
  return Object(manifest).workspaces !== void 0;
}

// src/action/targets/collect-targets.ts
import { once as once3 } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp as mkdtemp3, writeFile as writeFile2 } from "node:fs/promises";
import { join as join10 } from "node:path";
import { finished } from "node:stream/promises";

// src/action/targets/targets-body.ts
var maxBodyBytes = 20 * 1024 * 1024;
var maxTargetBytes = 4096;
var chunkBytes = 256 * 1024;
var TargetsBody = class {
  #limit;
  #suffix = "]}";
  #chunks = [];
  #chunk = Buffer.alloc(0);
  #used = 0;
  #bytes = 0;
  #count = 0;
  /** @param request everything except the targets. */
  constructor(request, limit = maxBodyBytes) {
    this.#limit = limit;
    this.#append(JSON.stringify({ ...request, impactedTargets: [] }).slice(0, -this.#suffix.length));
  }
  /** The number of added targets. */
  get count() {
    return this.#count;
  }
  /** The size of the whole body, in UTF-8. */
  get byteLength() {
    return this.#bytes + this.#suffix.length;
  }
  get isTooLarge() {
    return this.byteLength > this.#limit;
  }
  /** @throws RangeError when the service would refuse the target. */
  add(target) {
    const problem = targetProblem(target);
    if (problem !== null) throw new RangeError(`target ${this.#count + 1} ${problem}`);
    this.#append(`${this.#count === 0 ? "" : ","}${JSON.stringify(target)}`);
    this.#count += 1;
  }
  /** The whole body; null when it is too large. Nothing can be added afterwards. */
  finish() {
    if (this.isTooLarge) return null;
    this.#flush();
    return { chunks: [...this.#chunks, Buffer.from(this.#suffix)], byteLength: this.byteLength };
  }
  #append(json) {
    if (this.isTooLarge) {
      this.#bytes += Buffer.byteLength(json);
      return;
    }
    if (this.#used + json.length * 3 > this.#chunk.length) this.#grow(json.length * 3);
    const written = this.#chunk.write(json, this.#used);
    this.#used += written;
    this.#bytes += written;
    if (this.isTooLarge) this.#drop();
  }
  #grow(atLeast) {
    this.#flush();
    this.#chunk = Buffer.from(new ArrayBuffer(Math.max(chunkBytes, atLeast)));
  }
  #flush() {
    if (this.#used > 0) this.#chunks.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = this.#chunk.subarray(this.#used);
    this.#used = 0;
  }
  #drop() {
    this.#chunks = [];
    this.#chunk = Buffer.alloc(0);
    this.#used = 0;
  }
};
function targetProblem(target) {
  if (target.includes("\0")) return "contains a NUL character";
  const isLong = target.length * 3 > maxTargetBytes && Buffer.byteLength(target) > maxTargetBytes;
  return isLong ? `is longer than ${maxTargetBytes} bytes: ${target.slice(0, 40)}…` : null;
}

// src/action/targets/collect-targets.ts
var everything2 = "ALL";
async function collectTargets(collecting) {
  const { request, temporary, explain } = collecting;
  const file = await TargetsFile.create(temporary);
  const body = new TargetsBody(request);
  const because = await fill(body, file, collecting).catch((error2) => {
    return { code: "PROVIDER_FAILED", text: explain(error2) };
  });
  const encoded = because === null ? body.finish() : null;
  if (encoded === null) await file.closeWithAll();
  else await file.close();
  const count = because?.code === "TOO_LARGE" || because === null ? body.count : null;
  return { request, body: encoded, count, because, file: file.path };
}
async function fill(body, file, { find }) {
  const impact = await find();
  if (impact.all) return { code: "IMPACTS_ALL", text: impact.because };
  let saysAll = false;
  for await (const targets of impact.targets) {
    saysAll ||= targets.includes(everything2);
    for (const target of targets) body.add(target);
    await file.add(targets);
  }
  if (saysAll) return { code: "IMPACTS_ALL", text: `the list of targets has the line ${everything2}` };
  if (!body.isTooLarge) return null;
  const text2 = `${body.count} targets take ${body.byteLength} bytes as JSON, but at most ${maxBodyBytes / 1024 / 1024} MiB (${maxBodyBytes}) can be posted`;
  return { code: "TOO_LARGE", text: text2 };
}
var TargetsFile = class _TargetsFile {
  path;
  #stream;
  constructor(path) {
    this.path = path;
    this.#stream = createWriteStream(path);
  }
  /** @param temporary an existing directory. */
  static async create(temporary) {
    return new _TargetsFile(join10(await mkdtemp3(join10(temporary, "trainyard-")), "targets.txt"));
  }
  async add(targets) {
    if (targets.length > 0 && !this.#stream.write(`${targets.join("\n")}
`))
      await once3(this.#stream, "drain");
  }
  async close() {
    this.#stream.end();
    await finished(this.#stream);
  }
  /** Closes the file, and replaces its content with `ALL`. */
  async closeWithAll() {
    await this.close();
    await writeAll(this.path);
  }
};
async function writeAll(path) {
  await writeFile2(path, "ALL\n");
}

// src/client/send-encoded.ts
async function sendEncoded(options, name, body) {
  const { fetch = globalThis.fetch, timeoutMs: timeoutMs2 = 3e4, retry = { attempts: 1 } } = options;
  const posted = {
    method: "POST",
    url: endpointUrl(options, name),
    headers: headersOf(options),
    body,
    timeoutMs: timeoutMs2
  };
  return await withRetries(() => exchange(fetch, posted), retry);
}

// src/action/targets/upload-targets.ts
var uploadTimeoutMs = 18e4;
async function uploadTargets({ body, request }, access, { service }) {
  const { token: _, ...rest } = service;
  const options = { ...rest, ...access, timeoutMs: uploadTimeoutMs };
  const all = () => createCheckedClient(options).setImpactedTargets({ ...request, impactedTargets: "ALL" });
  if (body === null) return { answer: await all(), wasTooLarge: false };
  const answer = await sendUnlessTooLarge(options, body);
  return answer === null ? { answer: await all(), wasTooLarge: true } : { answer, wasTooLarge: false };
}
async function sendUnlessTooLarge(options, body) {
  try {
    return checkAnswer("setImpactedTargets", await sendEncoded(options, "setImpactedTargets", body));
  } catch (error2) {
    if (error2 instanceof ApiError && error2.status === 413) return null;
    throw error2;
  }
}
var tooLargeText = "The service, or a proxy in front of it, refused the list as too large (413). Allow bodies of 20 MiB in the proxy.";
function uploaded({ onError }, collected, { answer, wasTooLarge }) {
  const count = answer.targetsCount;
  const isAdded = answer.reason === "ADDED_TO_TRUSTED";
  const stored = `${count === "ALL" ? "ALL" : counted(count, "target")} for head ${answer.prSha.slice(0, 12)}`;
  const posted = isAdded ? `Added to the targets that were posted with a token, now ${stored}` : `Posted ${stored}`;
  const why = wasTooLarge ? asClause(tooLargeText) : collected.because?.text;
  const message = `${posted}${why === void 0 ? "" : `: ${asClause(why)}`}.`;
  if (collected.because?.code === "PROVIDER_FAILED" && onError === "fail") {
    return {
      ...outcome(collected, count),
      verdict: "uploaded",
      isFailure: true,
      title: "The targets could not be determined",
      message: `${message} That is safe but slow. Fix the cause, or set on-error: all to let the step succeed.`
    };
  }
  return {
    ...outcome(collected, count),
    verdict: "uploaded",
    isFailure: false,
    title: "Uploaded",
    message
  };
}
function dryRun({ onError }, collected) {
  const { because, request } = collected;
  const what = because === null ? counted(collected.count ?? 0, "target") : `ALL: ${asClause(because.text)}`;
  const isFailure = because?.code === "PROVIDER_FAILED" && onError === "fail";
  const message = `Would post, for head ${request.pr.sha.slice(0, 12)}, ${what}.`;
  return { ...outcome(collected, null), verdict: "dry-run", isFailure, title: "Dry run", message };
}
function withoutToken({ strict }, { workflow, subject }) {
  const where = workflow.actor === "dependabot[bot]" ? "the Dependabot secrets" : "the repository's secrets";
  return {
    verdict: "skipped",
    isFailure: strict,
    title: "No token",
    message: `The input api-token is empty, so nothing was posted, and #${subject.pr} counts as impacting everything. Store an API token in ${where} and set api-token from it, or give the job \`id-token: write\`.`,
    outputs: {},
    details: []
  };
}
function forkRefused({ strict }, collected, error2) {
  return {
    ...outcome(collected, null),
    verdict: "skipped",
    isFailure: strict,
    title: "Not accepted from a fork",
    message: `A fork's workflow has no secrets, so it can only identify itself by its run, which the service did not accept: ${error2.detail} Nothing was posted, and the pull request counts as impacting everything. To upload for it, run on pull_request_target without running the fork's code.`
  };
}
function outcome({ count, file, because, body }, posted) {
  const targets = String(posted ?? (body === null ? "ALL" : count));
  return {
    outputs: { "targets-count": targets, targets: file },
    details: [
      `- targets: ${code(targets)}`,
      ...because === null ? [] : [`- everything, because ${escapeMarkdown(because.text)}`]
    ]
  };
}

// src/action/commands/impacted-targets.ts
async function impactedTargets(inputs, step) {
  const { headSha } = step.subject;
  if (headSha === null) {
    throw new StepError(
      "Which head?",
      "The event does not contain the pull request's head. Run on pull_request, or give the job `pull-requests: read`."
    );
  }
  const source = sourceOf(inputs, step);
  if (source === null && !inputs.dryRun) return withoutToken(inputs, step);
  const collected = await collect(inputs, step, headSha);
  await detailTargets(collected, step.runner);
  const { because } = collected;
  const isFailure = because?.code === "PROVIDER_FAILED" && inputs.onError === "fail";
  if (because !== null && because.code !== "IMPACTS_ALL" && !isFailure) {
    step.runner.annotate("warning", "ALL instead of a list of targets", asSentence(because.text));
  }
  if (source === null || inputs.dryRun) return dryRun(inputs, collected);
  try {
    const access = await accessBy(source, inputs, step);
    const upload = await uploadTargets(collected, access, step);
    if (upload.wasTooLarge) {
      step.runner.annotate("warning", "ALL instead of a list of targets", tooLargeText);
      await writeAll(collected.file);
    }
    return uploaded(inputs, collected, upload);
  } catch (error2) {
    if (source === "run" && isRefusal(error2)) return forkRefused(inputs, collected, error2);
    throw error2;
  }
}
function sourceOf({ apiToken }, { subject, workflow, issueToken }) {
  if (apiToken !== null) return "api-token";
  if (subject.isFromFork) return workflow.runId === null ? null : "run";
  return issueToken === null ? null : "job";
}
async function accessBy(source, { apiToken }, step) {
  if (source === "run") return { forkedWorkflowRunId: step.workflow.runId ?? "" };
  if (source === "job") return { workflowToken: await step.issueToken?.() ?? "" };
  return { token: apiToken ?? "" };
}
function isRefusal(error2) {
  return error2 instanceof ApiError && error2.status >= 400 && error2.status < 500 && error2.status !== 429;
}
async function collect(inputs, step, headSha) {
  const { queue, pr } = step.subject;
  const request = { ...queue, pr: { number: pr, sha: headSha } };
  const timeout = AbortSignal.timeout(inputs.timeoutMs);
  const signal = AbortSignal.any([step.signal, timeout]);
  const find = () => findImpact(inputs, step, headSha, signal);
  const explain = (error2) => {
    if (timeout.aborted) return `it did not end within ${counted(inputs.timeoutMs / 6e4, "minute")}`;
    if (error2 instanceof StepError) return asClause(`${error2.title}. ${error2.message}`);
    return error2 instanceof Error ? error2.message : String(error2);
  };
  const { temporary } = step.workflow;
  const collected = await collectTargets({ request, find, explain, temporary });
  if (step.signal.aborted)
    throw new StepError("Cancelled", "The workflow was cancelled; nothing was posted.");
  return collected;
}
var mostShown = 1e3;
async function detailTargets({ file, count }, runner) {
  const handle = await open(file);
  let shown = 0;
  for await (const target of handle.readLines()) {
    runner.detail(`target: ${target}`);
    shown += 1;
    if (shown === mostShown) break;
  }
  await handle.close();
  if (count !== null && count > shown)
    runner.detail(`and ${counted(count - shown, "more target")}; see ${file}`);
}

// src/action/commands/proved.ts
var budgetMs = 4e3;
var attempts = 3;
var pauseMs = 500;
async function proved(inputs, context3) {
  const { workflow, runner } = context3;
  const repo = inputs.repository ?? workflow.repository;
  const sha = inputs.sha ?? (workflow.isAboutSha ? workflow.sha : null);
  const targetBranch = inputs.targetBranch ?? workflow.pullRequest?.baseBranch ?? workflow.branch;
  if (repo === null || sha === null || targetBranch === null) {
    const missing = "Set the inputs repository, sha and target-branch: the workflow's event does not name them.";
    return unproved("COMMIT_UNKNOWN", "Which commit?", missing);
  }
  const { owner, name } = repo;
  const question = { repo: { host: workflow.host, owner, name }, targetBranch, sha };
  if (inputs.dryRun) {
    const message = `Would ask whether the queue of ${targetBranch} has tested the tree of ${sha}.`;
    return { ...unproved("DRY_RUN", "Dry run", message), verdict: "dry-run" };
  }
  const client = createCheckedClient(await accessTo(inputs, context3, { budgetMs, attempts }));
  let answer = await client.proveCommit(question);
  for (let asked = 1; asked < attempts && answer.reason === "CODE_HOST_DID_NOT_ANSWER"; asked++) {
    runner.log("GitHub did not tell the service the commit's tree in time; asking again.");
    await context3.clock.sleep(pauseMs, context3.signal);
    answer = await client.proveCommit(question);
  }
  return describeAnswer(answer, sha);
}
function unprovedBy(error2) {
  const { title, message } = explainError(error2, null);
  return unproved(codeOf(error2), title, message);
}
function codeOf(error2) {
  if (error2 instanceof ApiError) return error2.code ?? "NOT_TRAINYARD";
  if (error2 instanceof NetworkError) return "NO_ANSWER";
  return error2 instanceof StepError ? "NOT_ASKED" : "UNEXPECTED_ERROR";
}
function unproved(reason, title, message, answer = {}) {
  return {
    verdict: "not-proved",
    isFailure: false,
    title,
    message: `${message} So \`proved\` is false.`,
    outputs: {
      ...{ proved: "false", reason, checks: "[]" },
      ...{ "run-url": textOf(answer.run?.url), "tested-sha": textOf(answer.run?.testedSha) },
      "pull-request": typeof answer.prNumber === "number" ? String(answer.prNumber) : ""
    },
    details: []
  };
}
var textOf = (value) => typeof value === "string" ? value : "";
var noes = {
  NOT_TESTED: "The queue has not tested this tree.",
  NOT_FINISHED: "The queue is still testing this tree.",
  FAILED: "The last test of this tree failed.",
  CANCELLED: "The test of this tree was cancelled.",
  NOT_EVERY_CHECK_PASSED: "Not every required check passed on this tree itself.",
  TOO_MANY_RUNS: "Too many runs tested this tree to compare them.",
  COMMIT_NOT_FOUND: "GitHub does not show the service this commit.",
  CODE_HOST_DID_NOT_ANSWER: "GitHub did not tell the service the tree of this commit in time."
};
var fields2 = /* @__PURE__ */ new Set([
  ...["proved", "reason", "sha", "treeSha", "prNumber", "run", "checks", "flakyTests"]
]);
function describeAnswer(answer, sha) {
  if (answer.proved !== true) {
    const { reason } = answer;
    const known = Object.hasOwn(noes, reason) ? noes[reason] : null;
    if (known !== null) return unproved(reason, "Not proved", known, answer);
  } else if (isYes(answer, sha)) return describeYes(answer);
  return unproved(
    "ANSWER_NOT_UNDERSTOOD",
    "The answer is not understood",
    "The service's answer has fields or values that this version of the Action does not know. Use the version of the Action that belongs to the service."
  );
}
function isYes(answer, sha) {
  const { reason, run, checks, flakyTests } = answer;
  return Object.keys(answer).every((name) => fields2.has(name)) && (reason === "PASSED" || reason === "PASSED_DESPITE_FLAKY_TESTS") && answer.sha === sha.toLowerCase() && typeof run?.testedSha === "string" && Array.isArray(flakyTests) && Array.isArray(checks) && checks.every(({ name, conclusion }) => typeof name === "string" && typeof conclusion === "string") && checks.some(({ conclusion }) => conclusion === "success");
}
function describeYes({ reason, run, checks, prNumber, flakyTests }) {
  const ran = checks.filter(({ conclusion }) => conclusion === "success").map(({ name }) => name);
  const spared = flakyTests.length === 0 ? "" : ` ${counted(flakyTests.length, "test")} failed in it and did not count.`;
  return {
    verdict: "proved",
    isFailure: false,
    title: "Proved",
    message: `The queue has tested this tree as ${run?.testedSha}; passed: ${namesOf(ran)}.${spared}`,
    outputs: {
      ...{ proved: "true", reason, "run-url": run?.url ?? "", "tested-sha": run?.testedSha ?? "" },
      ...{ "pull-request": prNumber === null ? "" : String(prNumber), checks: JSON.stringify(ran) }
    },
    details: [
      ...run?.url ? [`- [the test run](${run.url})`] : [],
      ...checks.map(({ name, conclusion, url }) => {
        const shown = url !== null && /^https?:\/\/[^\s()<>]+$/.test(url) ? `[${escapeMarkdown(name)}](${url})` : code(name);
        return `- ${shown}: ${escapeMarkdown(conclusion)}`;
      }),
      ...flakyTests.map((name) => `- failed and did not count: ${code(name)}`)
    ]
  };
}

// src/engine/model/entry.ts
var entryStates = [
  "not_ready",
  "pending",
  "testing",
  "tests_passed",
  "pending_failure",
  "merged",
  "failed",
  "cancelled"
];
function isTerminal(state) {
  return state === "merged" || state === "failed" || state === "cancelled";
}
var namedPriorities = /* @__PURE__ */ new Map([
  ["urgent", 0],
  ["high", 10],
  ["medium", 100],
  ["low", 200]
]);
var priorityNames = [...namedPriorities.keys()];
var maxPriority = 4294967295;
function parsePriority(input) {
  const text2 = String(input).trim().toLowerCase();
  const value = namedPriorities.get(text2) ?? (/^\d{1,10}$/.test(text2) ? Number(text2) : Number.NaN);
  if (!Number.isInteger(value) || value > maxPriority) return null;
  return { value, name: nameOf(value), isDefault: false };
}
function nameOf(value) {
  for (const [name, named] of namedPriorities) if (named === value) return name;
  return String(value);
}

// src/action/follow.ts
var pauses = { first: 500, factor: 1.5 };
var defaultLongestPauseMs = 15e3;
var complaintMs = 6e4;
function loadEntry({ client, subject }) {
  return client.getSubmittedPullRequest({ ...subject.queue, pr: { number: subject.pr } });
}
async function follow(first, step, { timeoutMs: timeoutMs2, longestPauseMs: longestPauseMs2 = defaultLongestPauseMs, show }) {
  const { clock, runner, signal } = step;
  const progress = new Progress();
  const deadline = clock.now() + timeoutMs2;
  let entry = first;
  let pause = pauses.first;
  let complainedAt = Number.NEGATIVE_INFINITY;
  for (; ; ) {
    const line = progress.lineFor(entry, clock.now());
    if (line !== null) runner.log(line);
    await show?.(entry);
    if (hasEnded(entry)) return { entry, ended: "terminal" };
    if (signal.aborted) return { entry, ended: "interrupted" };
    const left = deadline - clock.now();
    if (left <= 0) return { entry, ended: "timeout" };
    await clock.sleep(Math.min(pause, left), signal);
    const next = signal.aborted ? entry : await look();
    pause = hasChanged(entry, next) ? pauses.first : Math.min(pause * pauses.factor, longestPauseMs2);
    entry = next;
  }
  async function look() {
    try {
      return await loadEntry(step);
    } catch (error2) {
      if (!isTransient(error2)) throw error2;
      if (clock.now() - complainedAt >= complaintMs) {
        complainedAt = clock.now();
        runner.log(`${error2.message} Still waiting.`);
      }
      return entry;
    }
  }
}
function hasEnded({ state, isCurrentlySubmittedToQueue }) {
  return entryStates.includes(state) ? isTerminal(state) : !isCurrentlySubmittedToQueue;
}
function verdictOf({ entry: { state }, ended }) {
  if (state === "merged" || state === "failed" || state === "cancelled") return state;
  if (ended === "terminal") return "unknown";
  return ended === "interrupted" ? "interrupted" : "timed-out";
}
function hasChanged(before, after) {
  return before.stateChangedAt !== after.stateChangedAt || before.position !== after.position;
}
var reminderMs = 6e4;
var Progress = class {
  #shown = "";
  #shownAt = 0;
  /** The line to log now; null = none. */
  lineFor(entry, now) {
    const key = `${entry.state} ${entry.position} ${entry.reason}`;
    const isNews = key !== this.#shown;
    if (!isNews && now - this.#shownAt < reminderMs) return null;
    this.#shown = key;
    this.#shownAt = now;
    return `#${entry.prNumber} is ${isNews ? "" : "still "}${describeProgress(entry, now)}`;
  }
};
async function loadSubmitted(step) {
  try {
    return await loadEntry(step);
  } catch (error2) {
    if (error2 instanceof ApiError && error2.code === "NEVER_SUBMITTED") return null;
    throw error2;
  }
}
function neverSubmitted({ subject: { pr, queue } }, consequence) {
  return {
    verdict: "never-submitted",
    isFailure: false,
    title: "Not in the queue",
    message: `#${pr} was never submitted to the queue of ${queue.targetBranch}; ${consequence}.`,
    outputs: {},
    details: []
  };
}

// src/action/commands/queue.ts
async function submit(inputs, step) {
  const { runner, subject, client } = step;
  const { queue, pr, headSha } = subject;
  const { priority, noBatch, wait, timeoutMs: timeoutMs2 } = inputs;
  if (inputs.dryRun) return dryRun2(inputs, step);
  const entry = await client.submitPullRequest({
    ...queue,
    // The head that the workflow ran for, because nobody has looked at later commits.
    pr: { number: pr, ...headSha === null ? {} : { sha: headSha } },
    ...priority === null ? {} : { priority },
    ...noBatch ? { noBatch } : {},
    via: "action"
  });
  runner.log(`Submitted #${pr} to the queue of ${queue.targetBranch} with priority ${entry.priorityName}.`);
  return wait ? waited(await follow(entry, step, { timeoutMs: timeoutMs2 }), timeoutMs2) : submitted(entry);
}
function dryRun2({ priority, noBatch }, { subject: { pr, queue } }) {
  const how = `${priority === null ? "" : `, priority ${priority}`}${noBatch ? ", alone" : ""}`;
  const message = `Would submit #${pr} to the queue of ${queue.targetBranch}${how}.`;
  return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
}
function submitted(entry) {
  return {
    verdict: "submitted",
    isFailure: false,
    title: "Submitted",
    message: `#${entry.prNumber} is ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}
function waited({ entry, ended }, timeoutMs2) {
  const verdict = verdictOf({ entry, ended });
  return {
    verdict,
    isFailure: verdict !== "merged",
    title: verdict === "merged" ? "Merged" : `Not merged: ${stateText(entry)}`,
    message: `#${entry.prNumber} is ${describeEntry(entry)}. ${nextStep(verdict, timeoutMs2)}`.trim(),
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}
function nextStep(verdict, timeoutMs2) {
  switch (verdict) {
    case "failed":
    case "cancelled":
      return "Fix the cause, then submit it again.";
    case "interrupted":
      return "The workflow was cancelled; the pull request stays in the queue.";
    case "timed-out":
      return `The pull request was not merged or removed within ${counted(timeoutMs2 / 6e4, "minute")}, and stays in the queue. To wait longer, set the input timeout-minutes.`;
    case "unknown":
      return "This version of the Action does not know this state. Use a newer one.";
    default:
      return "";
  }
}
async function cancel({ dryRun: dryRun4 }, step) {
  const { queue, pr } = step.subject;
  if (dryRun4) return wouldCancel(step);
  const before = await loadSubmitted(step);
  if (before === null) return neverSubmitted(step, "there is nothing to cancel");
  const entry = await step.client.cancelPullRequest({ ...queue, pr: { number: pr }, via: "action" });
  const isCancelled = entry.state === "cancelled";
  return {
    verdict: isCancelled ? "cancelled" : "skipped",
    isFailure: false,
    title: isCancelled ? "Cancelled" : `Already ${stateText(entry)}`,
    message: `#${pr} is ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}
function wouldCancel({ subject: { pr, queue } }) {
  const message = `Would remove #${pr} from the queue of ${queue.targetBranch}.`;
  return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
}
async function restart({ dryRun: dryRun4 }, { client, subject }) {
  const { queue, pr } = subject;
  if (dryRun4) {
    const message = `Would test #${pr} again in the queue of ${queue.targetBranch}.`;
    return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
  }
  const entry = await client.restartTestsOnPullRequest({ ...queue, pr: { number: pr } });
  return {
    verdict: "restarted",
    isFailure: false,
    title: "Restarted",
    message: `#${pr} is tested again: ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}

// src/action/github/check-run.ts
var CheckRunMirror = class {
  #github;
  #path;
  #shown = "";
  #id = null;
  constructor(github, repository) {
    this.#github = github;
    this.#path = `/repos/${repository.owner}/${repository.name}`;
  }
  /** Shows the content, unless it is shown already. */
  async show(content) {
    const shown = JSON.stringify(content);
    if (shown === this.#shown) return;
    await this.#github.retried(() => this.#put(content));
    this.#shown = shown;
  }
  /** Every attempt looks for the check run before it creates one: an attempt without a response may have created it. */
  async #put(content) {
    const { title, summary, status: status2, conclusion } = content;
    const changing = { status: status2, ...conclusion ? { conclusion } : {}, output: { title, summary } };
    this.#id ??= await this.#find(content);
    if (this.#id !== null) {
      await this.#github.request("PATCH", `${this.#path}/check-runs/${this.#id}`, changing);
      return;
    }
    const { name, headSha: head_sha, externalId: external_id } = content;
    const created = { name, head_sha, external_id, ...changing };
    this.#id = (await this.#github.request("POST", `${this.#path}/check-runs`, created)).id;
  }
  async #find({ name, headSha, externalId }) {
    const query2 = new URLSearchParams({ check_name: name, filter: "latest", per_page: "100" });
    const path = `${this.#path}/commits/${headSha}/check-runs?${query2}`;
    const { check_runs } = await this.#github.request("GET", path);
    return check_runs.find((run) => run.external_id === externalId)?.id ?? null;
  }
};

// src/action/commands/status.ts
var graceMs = 3e4;
var gracePauseMs = 1e3;
var longestPauseMs = 4e3;
async function status({ dryRun: dryRun4, timeoutMs: timeoutMs2 }, step) {
  const { subject, github, runner } = step;
  const entry = await awaitSubmission(step, Math.min(graceMs, timeoutMs2));
  const mirror = github && !dryRun4 ? new CheckRunMirror(github, subject.queue.repo) : null;
  if (entry === null) {
    if (subject.headSha !== null) await mirror?.show(neverSubmittedCheck(subject, subject.headSha));
    return neverSubmitted(step, "there is nothing to follow");
  }
  await mirror?.show(renderCheck(entry, subject));
  const show = async (seen) => {
    await mirror?.show(renderCheck(seen, subject)).catch((error2) => {
      if (!isTransient(error2)) throw error2;
      runner.log(`${error2.message} The check will be updated later.`);
    });
  };
  const followed = await follow(entry, step, { timeoutMs: timeoutMs2, longestPauseMs, show });
  if (followed.ended === "terminal") await mirror?.show(renderCheck(followed.entry, subject));
  else await mirror?.show(unfollowedCheck(followed.entry, subject, followed.ended));
  return outcomeOf(followed);
}
async function awaitSubmission(step, patienceMs2) {
  const { clock, signal, runner, subject } = step;
  const deadline = clock.now() + patienceMs2;
  for (let looks = 1; ; looks++) {
    const entry = await loadSubmitted(step);
    const isFinal = entry?.isCurrentlySubmittedToQueue || entry?.state === "merged";
    if (isFinal || clock.now() >= deadline || signal.aborted) return entry;
    if (looks === 1)
      runner.log(`#${subject.pr} is not in the queue; waiting in case it is just being submitted.`);
    await clock.sleep(Math.min(gracePauseMs, deadline - clock.now()), signal);
  }
}
function outcomeOf({ entry, ended }) {
  const message = `#${entry.prNumber} is ${describeEntry(entry)}.`;
  return {
    verdict: verdictOf({ entry, ended }),
    isFailure: false,
    title: ended === "terminal" ? "Followed to the end" : "No longer followed",
    message: ended === "timeout" ? `${message} To follow it for longer, set timeout-minutes.` : message,
    outputs: entryOutputs(entry),
    details: renderChain(entry)
  };
}
var maxTitle = 250;
function renderCheck(entry, subject) {
  return {
    ...identity(subject, entry.prSha),
    ...checkStatus(entry),
    title: describeEntry(entry).slice(0, maxTitle),
    summary: renderChain(entry).join("\n")
  };
}
function unfollowedCheck(entry, subject, why) {
  const cause = why === "timeout" ? "it reached its timeout" : "it was cancelled";
  return {
    ...identity(subject, entry.prSha),
    status: "completed",
    conclusion: "neutral",
    title: `${stateText(entry)} when last seen`,
    summary: [
      `The workflow ended because ${cause}; the pull request stays in the queue. Run the job again to follow it further.`,
      "",
      ...renderChain(entry)
    ].join("\n")
  };
}
function neverSubmittedCheck(subject, headSha) {
  return {
    ...identity(subject, headSha),
    status: "completed",
    conclusion: "neutral",
    title: "not in the queue",
    summary: `#${subject.pr} was never submitted to the queue of ${subject.queue.targetBranch}.`
  };
}
function identity({ queue, pr }, headSha) {
  const { targetBranch } = queue;
  return {
    name: `Trainyard queue (${targetBranch})`,
    headSha,
    externalId: `trainyard-queue:${targetBranch}#${pr}`
  };
}
function checkStatus({
  state,
  merged,
  isCurrentlySubmittedToQueue
}) {
  switch (state) {
    case "not_ready":
    case "pending":
      return { status: "queued", conclusion: null };
    case "testing":
    case "tests_passed":
    case "pending_failure":
      return { status: "in_progress", conclusion: null };
    case "merged":
      return { status: "completed", conclusion: merged && merged.proof === null ? "failure" : "success" };
    case "failed":
      return { status: "completed", conclusion: "failure" };
    case "cancelled":
      return { status: "completed", conclusion: "cancelled" };
    default:
      return isCurrentlySubmittedToQueue ? { status: "in_progress", conclusion: null } : { status: "completed", conclusion: "cancelled" };
  }
}

// src/action/commands/upload-tests.ts
import { constants } from "node:os";
import { join as join12 } from "node:path";

// src/action/test-reports/await-shards.ts
var pauses2 = { first: 15e3, later: 3e4, perMiB: 5e3 };
async function awaitShards(first, { repeat, size, waitMs }, { clock, runner, signal }) {
  if (!first.awaited_shards || waitMs === 0) return first;
  const [shards, limit] = [counted(first.awaited_shards, "shard"), counted(waitMs / 6e4, "minute")];
  runner.log(
    `Tests are missing here that may have run in ${shards} of this run without a report yet. Waiting for at most ${limit} (input wait-for-shards).`
  );
  const start = clock.now();
  let last = first;
  const ended = (why) => {
    runner.log(`The wait ended after ${Math.round((clock.now() - start) / 1e3)} s: ${why}.`);
    return last;
  };
  for (let left = waitMs, pause = pauses2.first; left > 0; pause = pauses2.later) {
    const slept = Math.min(pause + size / 2 ** 20 * pauses2.perMiB, left);
    await clock.sleep(slept, signal);
    if (signal.aborted) return ended("the workflow was cancelled");
    try {
      last = await repeat();
      if (!last.awaited_shards) return ended(`the verdict is ${last.verdict}`);
    } catch (error2) {
      if (!isTransient(error2)) return ended(asClause(explainError(error2, null).message));
      runner.log(`${error2.message} Still waiting.`);
    }
    left = slept < left ? start + waitMs - clock.now() : 0;
  }
  return ended(`${counted(last.awaited_shards ?? 0, "shard has", "shards have")} not reported`);
}

// src/action/test-reports/describe-upload.ts
import { createHash as createHash2 } from "node:crypto";

// src/flaky/generated-parts.ts
var generatedParts = [
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/,
  // UUIDs
  /\b0x[\da-f]+\b/,
  /(?<!\d)\d{4}([-_])\d\d\1\d\d(?!\d)(?:T[\d:.+-]*\dZ?)?|\b\d\d:\d\d:\d\d\b/,
  // dates and times
  /(?<=\b(?:build|dev|run|seed)(?:[_-]?(?:id|no|num|number))?[=:#. -]*)\d{3,}/,
  /\d{6,}(?:[\da-f]+\b)?/,
  // also Node's nightly20261129 with a commit
  /(?<![a-z\d])(?:\d+-g)?(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,}(?![a-z\d])/
  // commits, also as `git describe` writes them
];
var digest2 = /(?<=^.{51}) [\da-f]{12}$/;
var pattern = new RegExp([digest2, ...generatedParts].map(({ source }) => source).join("|"), "gi");
function maskGenerated(name) {
  return name.replaceAll(pattern, (part) => part.startsWith(" ") ? part : "…");
}

// src/action/test-reports/find-tested.ts
import { createHash } from "node:crypto";
var ownQueuePrefix = "gh-readonly-queue/";
async function findTested(inputs, workflow, git) {
  const { pullRequest } = workflow;
  const branch = inputs.headBranch ?? workflow.branch;
  const headSha = inputs.headSha ?? pullRequest?.headSha ?? workflow.sha;
  if (branch === null || headSha === null) {
    throw new StepError(
      "What was tested?",
      "The workflow's event names no branch or commit. Run on push, pull_request or merge_group, or set the inputs head-branch and head-sha."
    );
  }
  const checkout = await readCheckout(git, workflow);
  const isCheckedOut = checkout !== null && testedCommits(inputs, workflow).includes(checkout.commit);
  const kind = inputs.kind ?? kindOf(inputs, workflow, branch);
  const doubt = inputs.kind === null ? doubtOf(inputs, workflow, isCheckedOut) : null;
  return {
    headSha,
    branch,
    treeSha: isCheckedOut ? checkout.tree : standInTree(workflow, headSha),
    baseSha: isCheckedOut ? await findBase(git, checkout.commit, kind, { inputs, workflow }) : null,
    kind: doubt === null ? kind : "unknown",
    pr: inputs.pr ?? pullRequest?.number ?? null,
    doubt
  };
}
async function findBase(git, commit, kind, { inputs, workflow }) {
  const { isTestMerge, sha, pullRequest } = workflow;
  if (kind !== "pr" || isTestMerge && commit === sha) {
    const [, parent] = await gitLines(git, "cat-file", "commit", commit);
    return /^parent ([\da-f]+)$/.exec(parent ?? "")?.[1] ?? null;
  }
  const target = inputs.targetBranch ?? pullRequest?.baseBranch;
  if (!target) return null;
  if (await gitLine(git, "rev-parse", "--is-shallow-repository") === "true") return null;
  try {
    return await gitLine(git, "merge-base", `refs/remotes/origin/${target}`, commit);
  } catch (error2) {
    if (error2 instanceof ProgramFailed) return null;
    throw error2;
  }
}
function testedCommits({ headSha }, { pullRequest, sha, isTestMerge }) {
  if (headSha !== null) return [headSha];
  return pullRequest === null ? [sha] : [pullRequest.headSha, isTestMerge ? sha : null];
}
function doubtOf({ headSha, headBranch, stableBranches }, { followsRun, pullRequest, defaultBranch, sha }, isCheckedOut) {
  if (followsRun) return "the workflow was started by another one, and does not know what that one tested";
  if (!isCheckedOut && headSha === null) return "the checked-out commit is not in the event";
  if (headSha !== null && headBranch === null && headSha !== (pullRequest?.headSha ?? sha))
    return "head-sha is not the event's commit, and head-branch is not set";
  if (pullRequest === null && headBranch === null && defaultBranch === null && stableBranches.length === 0)
    return "the event does not name the default branch";
  return null;
}
async function readCheckout(git, { followsRun }) {
  try {
    const [commit = "", tree = ""] = (await gitLine(git, "log", "-1", "--format=%H %T"))?.split(" ") ?? [];
    return { commit, tree };
  } catch (error2) {
    if (!(error2 instanceof ProgramFailed)) throw error2;
    if (followsRun) return null;
    const message = `There is no checkout: ${asClause(error2.message)}. Run actions/checkout first.`;
    throw new StepError("What was tested?", message, { cause: error2 });
  }
}
function standInTree({ runId: runId2 }, headSha) {
  return createHash("sha1").update(`${runId2} ${headSha}`).digest("hex");
}
function kindOf({ testBranchPrefix, stableBranches, apiToken }, { defaultBranch, pullRequest }, branch) {
  if (pullRequest !== null && apiToken === null) return "pr";
  if (branch.startsWith(testBranchPrefix) || branch.startsWith(ownQueuePrefix)) return "queue";
  if (pullRequest !== null) return "pr";
  const stable = stableBranches.length === 0 ? branch === defaultBranch : includes(compileGlobs(stableBranches), branch);
  return stable ? "stable" : "pr";
}

// src/action/test-reports/describe-upload.ts
async function describeUpload(inputs, surroundings, { reports, found }, stepFailed) {
  const { workflow, runner, env: env2, signal } = surroundings;
  const { repository, host, runId: runId2, runAttempt } = workflow;
  const repo = inputs.repository ?? repository;
  if (repo === null || runId2 === null)
    throw new StepError("What was tested?", "The workflow names no repository or run.");
  const [tested, job] = await Promise.all([
    findTested(inputs, workflow, { cwd: workflow.workspace, env: env2, signal }),
    findJob(inputs, surroundings)
  ]);
  const { headSha, treeSha, baseSha, branch, kind, pr, doubt } = tested;
  if (doubt !== null) {
    const remedy = "If you know what was tested, set the inputs kind, head-branch and head-sha.";
    const text2 = `The upload has the kind unknown, so no failure is forgiven: ${doubt}. ${remedy}`;
    runner.annotate("notice", "It is not certain what was tested", text2);
  }
  const baseBranch = inputs.targetBranch ?? workflow.pullRequest?.baseBranch;
  const said = {
    repo: { host, owner: repo.owner, name: repo.name },
    ...{ head_sha: headSha, tree_sha: treeSha, branch, kind },
    ...pr !== null && (kind === "pr" || kind === "unknown") ? { pr: { number: pr } } : {},
    ...baseSha === null ? {} : { base_sha: baseSha },
    ...kind === "pr" && baseBranch ? { base_branch: baseBranch } : {},
    ...{ run_id: runId2, run_attempt: runAttempt, ...job, step_failed: stepFailed },
    ...{ quarantine: inputs.quarantine, expected_reports: found }
  };
  runner.detail(`Uploading ${JSON.stringify(said)}`);
  return { ...said, reports: [...reports] };
}
var longestVariant = 64;
var longestName2 = 255;
var longestStep = 100;
var patienceMs = 3e3;
async function findJob(inputs, surroundings) {
  const { workflowName, os: os4, step } = surroundings.workflow;
  return {
    workflow: workflowName.slice(0, longestName2),
    job: (inputs.job ?? await checkName(inputs, surroundings)).slice(0, longestName2),
    variant: inputs.variant ?? defaultVariant(os4, inputs.matrix),
    step: step.slice(0, longestStep)
  };
}
async function checkName({ githubToken: token, checkRunId }, { workflow, runner, fetch }) {
  const { repository, job, apiUrl } = workflow;
  if (repository === null || checkRunId === null || token === null) return job;
  const retry = { attempts: 1 };
  const timely = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const github = new GitHubApi({ apiUrl, token, fetch: timely, retry });
  try {
    const path = `/repos/${repository.owner}/${repository.name}/check-runs/${encodeURIComponent(checkRunId)}`;
    const { name } = Object(await github.request("GET", path));
    if (typeof name === "string" && name !== "") return name;
  } catch (error2) {
    runner.detail(error2 instanceof Error ? error2.message : String(error2));
  }
  runner.log(
    `GitHub did not return the name of this job's check; using "${job}". Give the job the permission \`checks: read\`, or set the input job.`
  );
  return job;
}
function defaultVariant(os4, matrix) {
  const full = [...os4 === "" ? [] : [os4], ...leaves("", matrix)].join(", ");
  const text2 = full.length <= longestVariant ? full : maskGenerated(full);
  if (text2.length <= longestVariant) return text2;
  const digest3 = createHash2("sha256").update(text2).digest("hex").slice(0, 12);
  return `${text2.slice(0, longestVariant - digest3.length - 1)} ${digest3}`;
}
function leaves(name, value) {
  if (typeof value !== "object" || value === null) return name === "" ? [] : [`${name}=${value}`];
  return Object.entries(value).flatMap(([key, inner]) => leaves(name === "" ? key : `${name}.${key}`, inner));
}

// src/action/test-reports/find-reports.ts
import { glob, readFile as readFile6, stat } from "node:fs/promises";
import { join as join11 } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
var maxEncoded = 19 * 1024 * 1024;
var maxReport = 256 * 1024 * 1024;
var compress = promisify(gzip);
async function findReports(globs, cwd, since) {
  let left = maxEncoded;
  let found = 0;
  const reports = [];
  for (const path of await matching(globs, cwd)) {
    const file = await stat(join11(cwd, path)).catch(unlessMissing);
    if (file?.isDirectory()) continue;
    if (!file?.isFile()) {
      found += 1;
      continue;
    }
    const { mtimeMs, size } = file;
    if (since !== null && mtimeMs < since) continue;
    found += 1;
    if (size > maxReport) continue;
    const content = (await compress(await readFile6(join11(cwd, path)))).toString("base64");
    if (content.length > left) continue;
    left -= content.length;
    reports.push({ path: path.replaceAll("\\", "/"), encoding: "gzip", content });
  }
  return { found, reports };
}
async function matching(globs, cwd) {
  let paths = /* @__PURE__ */ new Set();
  for (const pattern2 of globs) {
    if (pattern2.startsWith("!")) {
      const excluded = compileGlobs([pattern2.slice(1)]);
      paths = new Set([...paths].filter((path) => !includes(excluded, path.replaceAll("\\", "/"))));
      continue;
    }
    const options = { cwd, withFileTypes: true, exclude: isNoReport, followSymlinks: true };
    for await (const entry of glob(pattern2, options)) {
      if (entry.isFile() || entry.isSymbolicLink())
        paths.add(join11(entry.parentPath, entry.name).slice(join11(cwd, "/").length));
    }
  }
  return [...paths].toSorted();
}
function unlessMissing(error2) {
  if (error2.code === "ENOENT" || error2.code === "ELOOP") return null;
  throw error2;
}
function isNoReport({ name }) {
  return name === ".git" || name === "node_modules";
}

// src/action/test-reports/outcomes.ts
var mostListed2 = 100;
var UnknownVerdict = class extends StepError {
  constructor(verdict, { GITHUB_ACTION_REF: version }) {
    const known = version ? `version ${version} of this Action` : "this version of the Action";
    super(
      "Unknown verdict",
      `The service answered "${verdict}", which ${known} does not know. Use a newer version of the Action.`
    );
  }
};
function judged(answer, { exitCode }, env2) {
  const { verdict, tests, failed_count, quarantined_count } = answer;
  if (!Object.hasOwn(titles, verdict)) throw new UnknownVerdict(verdict, env2);
  const isForgiven = exitCode !== 0 && verdict === "quarantined";
  const end = isForgiven ? 0 : exitCode;
  return {
    ...ending(end),
    verdict,
    title: titles[verdict],
    message: messageOf2(answer, exitCode),
    outputs: { "failed-count": String(failed_count), "quarantined-count": String(quarantined_count) },
    details: [
      `- tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped; in ${counted(answer.reports.length, "report")}`,
      ...answer.reports.flatMap(
        ({ path, fault }) => fault === null ? [] : [`- ${code(path)}: ${escapeMarkdown(fault.message)}`]
      ),
      ...maskedTable(answer),
      ...failedList(answer)
    ]
  };
}
function notJudged(error2, { exitCode }, { runner, workflow }) {
  const { title, message } = explainError(error2, null);
  const text2 = `${message} The reports were not evaluated, and the step succeeds or fails as the tests did.`;
  const isNoFault = isTransient(error2) || error2 instanceof UnknownVerdict || workflow.pullRequest?.isFromFork;
  if (exitCode === 0) runner.annotate(isNoFault ? "warning" : "error", title, text2);
  return { ...ending(exitCode), verdict: "not-judged", title, message: text2, outputs: {}, details: [] };
}
function withoutToken2({ strict }, { exitCode }) {
  return {
    ...ending(exitCode === 0 && strict ? 1 : exitCode),
    verdict: "skipped",
    title: "No token",
    message: "The input api-token is empty, so the reports were not uploaded, and the step succeeds or fails as the tests did. Set it from a secret, or give the job `id-token: write`.",
    outputs: {},
    details: []
  };
}
function dryRun3(found, { exitCode }) {
  const message = `Would upload ${counted(found, "report")}; the step succeeds or fails as the tests did.`;
  return { ...ending(exitCode), verdict: "dry-run", title: "Dry run", message, outputs: {}, details: [] };
}
function notRun({ tests }) {
  const isSkipped = "outcome" in tests && tests.outcome === "skipped";
  const message = `The tests were ${isSkipped ? "skipped" : "cancelled"}, so nothing was uploaded.`;
  return {
    ...ending(isSkipped ? 0 : 1),
    verdict: "skipped",
    title: "Not run",
    message,
    outputs: {},
    details: []
  };
}
var titles = {
  passed: "Passed",
  quarantined: "Passed: only quarantined tests failed",
  failed: "Failed",
  unknown: "No failure was forgiven"
};
function ending(exitCode) {
  return { isFailure: exitCode !== 0, exitCode };
}
function messageOf2({ verdict, message, code: code2, failed_count, quarantined_count }, exitCode) {
  const forgiven = counted(
    quarantined_count,
    "failure of quarantined tests",
    "failures of quarantined tests"
  );
  if (exitCode === 0) return `The tests passed${quarantined_count > 0 ? `, with ${forgiven}` : ""}.`;
  switch (verdict) {
    case "quarantined":
      return `${forgiven}, and no other failure: the step passes.`;
    case "failed":
      return `${counted(failed_count, "test")} failed that ${failed_count === 1 ? "is" : "are"} not quarantined.`;
    default:
      return `The tests failed, and the reports do not show that only quarantined tests failed (${code2}). ${message}`.trim();
  }
}
function maskedTable({ quarantined, quarantined_count: count }) {
  if (count === 0) return [];
  const rows = quarantined.slice(0, mostListed2).map(({ name, classname, quarantine_owner, quarantine_expires_at, quarantine_reason, ticket_url }) => {
    const cells = [
      escapeMarkdown(classname === null ? name : `${classname} › ${name}`),
      escapeMarkdown(quarantine_owner ?? "nobody"),
      ticketLink(ticket_url),
      quarantine_expires_at?.slice(0, 10) ?? "",
      escapeMarkdown(quarantine_reason)
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const header = ["| masked test | owner | ticket | until | why |", "|---|---|---|---|---|"];
  return ["", ...header, ...rows, ...remaining(count - rows.length), ""];
}
function failedList({ failed, failed_count: count }) {
  const lines = failed.slice(0, mostListed2).map(({ name, classname, summary }) => {
    const test = classname === null ? name : `${classname} › ${name}`;
    return `- failed: ${escapeMarkdown(test)}${summary === "" ? "" : `: ${escapeMarkdown(summary)}`}`;
  });
  return [...lines, ...remaining(count - lines.length)];
}
function remaining(count) {
  return count > 0 ? ["", `and ${count} more`] : [];
}
function ticketLink(address) {
  const url = address === null ? null : URL.parse(address);
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    return address === null ? "" : escapeMarkdown(address);
  return `[${escapeMarkdown(url.pathname.split("/").at(-1) || url.host)}](<${url.href.replaceAll(/[<>|]/g, encodeURIComponent)}>)`;
}

// src/action/commands/upload-tests.ts
var budget2 = { budgetMs: 1e4, attempts: 3 };
async function uploadTests(inputs, surroundings) {
  const run = await runTests(inputs, surroundings);
  if (run === null) return notRun(inputs);
  try {
    return await judge(inputs, surroundings, run);
  } catch (error2) {
    return notJudged(error2, run, surroundings);
  }
}
async function judge(inputs, surroundings, run) {
  const { workflow, runner } = surroundings;
  const cwd = join12(workflow.workspace, inputs.workingDirectory);
  const found = await findReports(inputs.junitPaths, cwd, run.since);
  runner.log(`Found ${found.found} reports.`);
  if (inputs.dryRun) return dryRun3(found.found, run);
  const source = sourceOf2(inputs, surroundings);
  if (source === null) return withoutToken2(inputs, run);
  const upload = await describeUpload(inputs, surroundings, found, run.exitCode !== 0);
  const send2 = async () => {
    const service = withinBudget(surroundings, budget2);
    const access = await accessBy2(source, surroundings, service);
    return await createCheckedClient({ ...service, ...access }).uploadTestResults(upload);
  };
  const first = await send2();
  const size = upload.reports.reduce((sum, { content }) => sum + content.length, 0);
  const waitMs = run.exitCode === 0 ? 0 : inputs.waitForShardsMs;
  const answer = await awaitShards(first, { repeat: send2, size, waitMs }, surroundings);
  return judged(answer, run, surroundings.env);
}
function sourceOf2({ apiToken }, { workflow, issueToken }) {
  if (apiToken !== null) return "api-token";
  if (workflow.pullRequest?.isFromFork) return workflow.runId === null ? null : "run";
  return issueToken === null ? null : "job";
}
async function accessBy2(source, { workflow, issueToken }, service) {
  if (source === "run") return { forkedWorkflowRunId: workflow.runId ?? "" };
  if (source === "job") return { workflowToken: await issueToken?.(service) ?? "" };
  return {};
}
var bash2 = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
var toleranceMs = 1e3;
async function runTests({ tests, workingDirectory }, { workflow, env: env2, signal, clock }) {
  if ("outcome" in tests) {
    if (tests.outcome !== "success" && tests.outcome !== "failure") return null;
    return { exitCode: tests.outcome === "success" ? 0 : 1, since: null };
  }
  const since = clock.now() - toleranceMs;
  const cwd = join12(workflow.workspace, workingDirectory);
  const program = { file: "bash", label: "run", args: [...bash2, tests.run], cwd, env: env2, signal };
  const { code: code2, signal: killedBy } = await runVisibly(program);
  const exitCode = code2 ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
  return signal.aborted ? null : { exitCode, since };
}

// src/action/input-reader.ts
var InputReader = class {
  issues = [];
  #get;
  constructor(get) {
    this.#get = get;
  }
  fault(input, problem) {
    this.issues.push({ input, problem });
  }
  /** @param longest the maximum number of characters. */
  text(input, longest = Number.POSITIVE_INFINITY) {
    const value = this.#get(input).trim() || null;
    if (value !== null && value.length > longest)
      this.fault(input, `is longer than ${longest} characters; use a shorter name`);
    return value;
  }
  testBranchPrefix() {
    return this.text("test-branch-prefix") ?? "trainyard-merge/";
  }
  /** Null when it is empty. */
  json(input) {
    try {
      return JSON.parse(this.text(input) ?? "null");
    } catch {
      this.fault(input, "is not JSON; leave it out, or use toJSON(matrix)");
      return null;
    }
  }
  sha(input) {
    const value = this.text(input)?.toLowerCase() ?? null;
    if (value !== null && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value))
      this.fault(input, `is "${value}"; use the full SHA of a commit`);
    return value;
  }
  boolean(input) {
    const value = this.text(input)?.toLowerCase() ?? "false";
    if (value !== "true" && value !== "false") this.fault(input, `is "${value}"; use true or false`);
    return value === "true";
  }
  oneOf(input, words, otherwise) {
    const value = this.text(input);
    const word = words.find((known) => known === value?.toLowerCase());
    if (word !== void 0) return word;
    if (value === null && otherwise !== null) return otherwise;
    this.fault(input, `${value === null ? "is missing" : `is "${value}"`}; use ${listed(words)}`);
    return null;
  }
  /** The URL of a service. Credentials in it are refused, and are not repeated in the message. */
  url(input) {
    const value = this.text(input);
    const url = value === null ? null : URL.parse(value);
    const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
    if (value === null) this.fault(input, "is missing; give the address of the service, https://…");
    else if (!url || !isWeb) this.fault(input, "is not an address; give that of the service, https://…");
    else if (url.username || url.password) this.fault(input, "contains credentials; pass them as api-token");
    return url && isWeb ? url.origin + url.pathname.replace(/\/+$/, "") : "";
  }
  /**
   * A secret, which is never repeated in a message. Characters that a header cannot hold are refused here, because the code that
   * sends the header would repeat the secret in its error.
   */
  token(input) {
    const value = this.text(input);
    if (value === null || /^[\x21-\x7e]+$/.test(value)) return value;
    this.fault(
      input,
      "contains characters that are not allowed in a token, such as a line break; store the secret again"
    );
    return null;
  }
  repository(input) {
    const value = this.text(input);
    if (value === null) return null;
    const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(value) ?? [];
    if (owner && name) return { owner, name };
    this.fault(input, `is "${value}"; use owner/name`);
    return null;
  }
  pullRequest(input) {
    const value = this.text(input);
    if (value === null) return null;
    const number = /^#?([1-9]\d{0,9})$/.exec(value)?.[1];
    if (number === void 0) this.fault(input, `is "${value}"; use the number of a pull request`);
    return number === void 0 ? null : Number(number);
  }
  minutes(input, otherwise, max, mayBeZero = false) {
    const value = this.text(input);
    if (value === null) return otherwise;
    const minutes = /^\d+(\.\d+)?$/.test(value) ? Number(value) : -1;
    if ((minutes > 0 || minutes === 0 && mayBeZero) && minutes <= max) return minutes;
    this.fault(input, `is "${value}"; use a number of minutes, at most ${max}`);
    return otherwise;
  }
  /** A directory within the checkout, relative to its top. */
  directory(input) {
    return this.#inside(input) ?? ".";
  }
  /** The path of a file within the checkout, relative to its top; empty when there is none. */
  file(input) {
    return this.#inside(input) ?? "";
  }
  #inside(input) {
    const value = this.text(input);
    if (value === null) return null;
    const isInside = !value.startsWith("/") && !value.split(/[\\/]/).includes("..");
    if (!isInside) this.fault(input, `is "${value}"; use a path from the top of the checkout`);
    return isInside ? value : null;
  }
  /** Items separated by commas, or one item a line. With several lines, items may contain commas. */
  list(input) {
    const text2 = this.#get(input).trim();
    const items = text2.split(text2.includes("\n") ? "\n" : ",");
    return items.map((item) => item.trim()).filter((item) => item !== "");
  }
  /** Globs separated by commas or line breaks; a leading `!` excludes. */
  globs(input) {
    const globs = splitGlobs(this.#get(input).replaceAll("\n", ","));
    for (const problem of globProblems(globs)) this.fault(input, problem);
    return globs;
  }
};
function listed(words) {
  return words.length === 1 ? words[0] ?? "" : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

// src/action/test-reports/read-inputs.ts
var stepOutcomes = ["success", "failure", "cancelled", "skipped"];
var kinds2 = ["pr", "stable", "queue", "unknown"];
var longestVariant2 = 64;
var longestJob = 255;
var defaultWaitMinutes = 10;
var longestWaitMinutes = 360;
function readUploadTests(reader, common) {
  const junitPaths = reader.globs("junit-paths");
  if (junitPaths.length === 0) reader.fault("junit-paths", "is missing; give globs of the JUnit reports");
  return {
    ...common,
    command: "upload-tests",
    junitPaths,
    tests: readTests(reader),
    workingDirectory: reader.directory("working-directory"),
    job: reader.text("job", longestJob),
    checkRunId: reader.text("check-run-id"),
    matrix: reader.json("matrix"),
    variant: reader.text("variant", longestVariant2),
    quarantine: reader.text("quarantine") === null || reader.boolean("quarantine"),
    waitForShardsMs: reader.minutes("wait-for-shards", defaultWaitMinutes, longestWaitMinutes, true) * 6e4,
    testBranchPrefix: reader.testBranchPrefix(),
    stableBranches: reader.globs("stable-branches"),
    headBranch: reader.text("head-branch"),
    headSha: reader.sha("head-sha"),
    kind: reader.text("kind") === null ? null : reader.oneOf("kind", kinds2, null)
  };
}
function readTests(reader) {
  const run = reader.text("run");
  const hasOutcome = reader.text("previous-step-outcome") !== null;
  if (run !== null === hasOutcome) {
    const problem = run === null ? "is missing" : "is set together with previous-step-outcome";
    reader.fault(
      "run",
      `${problem}; give the command that runs the tests, or the outcome of the step that ran them`
    );
  }
  if (run !== null || !hasOutcome) return { run: run ?? "" };
  return { outcome: reader.oneOf("previous-step-outcome", stepOutcomes, null) ?? "failure" };
}

// src/action/inputs.ts
var commands = [
  "submit",
  "cancel",
  "restart",
  "impacted-targets",
  "status",
  "upload-tests",
  "proved",
  "context"
];
var defaultTimeoutMinutes = 60;
var maxTimeoutMinutes = 7200;
function parseInputs(get) {
  const reader = new InputReader(get);
  const command = reader.oneOf("command", commands, null);
  const common = readCommon(reader);
  const inputs = command === null ? null : readCommand(reader, command, common);
  return inputs !== null && reader.issues.length === 0 ? inputs : { issues: reader.issues };
}
function readCommon(reader) {
  return {
    apiUrl: reader.url("api-url"),
    apiToken: reader.token("api-token"),
    audience: reader.text("api-audience"),
    githubToken: reader.token("github-token"),
    targetBranch: reader.text("target-branch"),
    repository: reader.repository("repository"),
    pr: reader.pullRequest("pr-number"),
    timeoutMs: reader.minutes("timeout-minutes", defaultTimeoutMinutes, maxTimeoutMinutes) * 6e4,
    dryRun: reader.boolean("dry-run"),
    strict: reader.boolean("strict"),
    verbose: reader.boolean("verbose")
  };
}
function readCommand(reader, command, common) {
  switch (command) {
    case "submit": {
      const wait = reader.boolean("wait");
      return {
        ...common,
        command,
        priority: readPriority(reader),
        noBatch: reader.boolean("no-batch"),
        wait
      };
    }
    case "cancel":
    case "restart":
      return { ...common, command };
    case "status":
      if (common.githubToken === null && !common.dryRun) {
        reader.fault("github-token", "is empty; leave the input out to use the job's own token");
      }
      return { ...common, command };
    case "upload-tests":
      return readUploadTests(reader, common);
    case "proved":
      return { ...common, command, sha: reader.sha("sha") };
    case "context":
      return {
        ...common,
        command,
        workingDirectory: reader.directory("working-directory"),
        testBranchPrefix: reader.testBranchPrefix()
      };
    case "impacted-targets":
      return {
        ...common,
        command,
        provider: readProvider(reader),
        workingDirectory: reader.directory("working-directory"),
        impactAllPaths: reader.globs("impact-all-paths"),
        impactAllFilters: reader.file("impact-all-filters-path"),
        onError: reader.oneOf("on-error", ["fail", "all"], "fail") ?? "fail"
      };
  }
}
function readPriority(reader) {
  const priority = reader.text("priority");
  if (priority !== null && parsePriority(priority) === null) {
    reader.fault("priority", `is "${priority}"; use urgent, high, medium, low, or a number from 0`);
  }
  return priority;
}
function readProvider(reader) {
  const name = reader.oneOf("provider", providerNames, "auto") ?? "auto";
  const { rules, problems } = parsePathRules(reader.text("targets-paths") ?? "");
  for (const problem of problems) reader.fault("targets-paths", problem);
  const filters = reader.file("targets-filters-path");
  if (name === "paths" && rules.length === 0 && problems.length === 0 && filters === "") {
    reader.fault("targets-paths", "is missing; write one `name: glob, glob` per line");
  }
  const shellCommand = reader.text("targets-command") ?? "";
  if (name === "command" && shellCommand === "") {
    reader.fault("targets-command", "is missing; give a command that prints one target per line");
  }
  return { name, rules, filters, shellCommand, bazel: readBazelInputs(reader) };
}

// src/engine/model/names.ts
function nameKey(name) {
  return name.toLowerCase();
}
function isSameName(a, b) {
  return a != null && b != null && nameKey(a) === nameKey(b);
}

// src/action/subject.ts
async function resolveSubject(inputs, workflow, lookUp) {
  const repository = inputs.repository ?? workflow.repository;
  if (repository === null) throw new StepError("Which repository?", "Set the input repository: owner/name.");
  const own = isSameRepository(repository, workflow.repository);
  const pr = inputs.pr ?? (own ? workflow.pullRequest?.number : null) ?? null;
  if (pr === null) {
    throw new StepError(
      "Which pull request?",
      "The event that started this workflow is not about a pull request. Set the input pr-number, or run on pull_request."
    );
  }
  const told = own && workflow.pullRequest?.number === pr ? workflow.pullRequest : null;
  const isEnough = told?.headSha != null && (inputs.targetBranch ?? told.baseBranch) !== null;
  const needsHead = inputs.command === "impacted-targets";
  const facts = isEnough || inputs.targetBranch !== null && !needsHead ? told : await lookUp(repository, pr) ?? told;
  const defaultBranch = own ? workflow.defaultBranch : null;
  const targetBranch = inputs.targetBranch ?? facts?.baseBranch ?? defaultBranch;
  if (targetBranch === null) {
    throw new StepError("Which queue?", "Set the input target-branch to the branch of the queue.");
  }
  const { owner, name } = repository;
  return {
    queue: { repo: { host: workflow.host, owner, name }, targetBranch },
    pr,
    headSha: facts?.headSha ?? null,
    isFromFork: facts?.isFromFork ?? false,
    url: `${workflow.serverUrl}/${owner}/${name}/pull/${pr}`
  };
}
function isSameRepository(a, b) {
  return isSameName(`${a.owner}/${a.name}`, `${b?.owner}/${b?.name}`);
}
async function loadPullRequest(github, { owner, name }, pr) {
  try {
    const path = `/repos/${owner}/${name}/pulls/${pr}`;
    const { head, base } = await github.retried(() => github.request("GET", path));
    const isFromFork = head.repo?.full_name !== base.repo.full_name;
    return { headSha: head.sha, baseBranch: base.ref, isFromFork };
  } catch (error2) {
    if (error2 instanceof GitHubRefusal && [401, 403, 404].includes(error2.status)) return null;
    throw error2;
  }
}

// src/action/run-action.ts
var attempts2 = 5;
async function runAction(world) {
  const { runner, workflow } = world;
  for (const name of ["api-token", "github-token"]) if (world.input(name)) runner.mask(world.input(name));
  if (world.tokenRequest) runner.mask(world.tokenRequest.bearer);
  const command = world.input("command");
  let subject = null;
  try {
    const inputs = parseInputs(world.input);
    if ("issues" in inputs) throw faultyInputs(inputs.issues);
    warnOfPlainHttp(inputs, world);
    const surroundings = surroundingsOf(inputs, world);
    if (inputs.command === "upload-tests")
      return await report(await uploadTests(inputs, surroundings), command, null, runner);
    if (inputs.command === "proved")
      return await report(await proved(inputs, surroundings), command, null, runner);
    if (inputs.command === "context")
      return await report(await context2(inputs, surroundings), command, null, runner);
    const idle = onPush(inputs, workflow);
    if (idle !== null) return await report(idle, command, null, runner);
    const step = await createStep(inputs, surroundings);
    subject = step.subject;
    const outcome2 = withoutSecrets(inputs, step) ?? await executeCommand(inputs, step);
    return await report(outcome2, command, subject, runner);
  } catch (error2) {
    const advice2 = await adviceDespite(error2, command.trim().toLowerCase(), world);
    if (advice2) return await report(advice2, command, null, runner);
    const { title, message } = explainError(error2, subject && { subject, actor: workflow.actor });
    runner.annotate("error", title, message);
    const summary = { command, isFailure: true, title, message, subject, details: [] };
    await runner.summarise(renderSummary(summary));
    return 1;
  }
}
async function adviceDespite(error2, command, world) {
  if (command === "proved") return unprovedBy(error2);
  return command === "context" ? contextFailed(error2, world) : null;
}
function executeCommand(inputs, step) {
  switch (inputs.command) {
    case "submit":
      return submit(inputs, step);
    case "cancel":
      return cancel(inputs, step);
    case "restart":
      return restart(inputs, step);
    case "impacted-targets":
      return impactedTargets(inputs, step);
    case "status":
      return status(inputs, step);
  }
}
async function report(outcome2, command, subject, runner) {
  const { verdict, isFailure, title, message, outputs } = outcome2;
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  runner.output("verdict", verdict);
  if (isFailure) runner.annotate("error", title, message);
  else if (["skipped", "timed-out", "never-submitted", "not-proved"].includes(verdict))
    runner.annotate("notice", title, message);
  else runner.log(message);
  await runner.summarise(renderSummary({ ...outcome2, command, subject }));
  return outcome2.exitCode ?? (isFailure ? 1 : 0);
}
function surroundingsOf(inputs, world) {
  const { runner, workflow, clock, signal, env: env2 } = world;
  const fetch = withDetails(world);
  const retry = retryOptions(world);
  const { apiUrl: baseUrl, apiToken } = inputs;
  const service = {
    baseUrl,
    ...apiToken === null ? {} : { token: apiToken },
    userAgent: "trainyard-action",
    fetch,
    retry
  };
  const issueToken = tokenIssuer(inputs, world, retry);
  return { workflow, runner, service, issueToken, fetch, clock, signal, env: env2 };
}
async function createStep(inputs, surroundings) {
  const { workflow, service, issueToken, fetch } = surroundings;
  const { apiToken, githubToken: token } = inputs;
  const retry = service.retry ?? { attempts: attempts2 };
  const github = token === null ? null : new GitHubApi({ apiUrl: workflow.apiUrl, token, fetch, retry });
  const subject = await resolveSubject(
    inputs,
    workflow,
    async (repository, pr) => github ? loadPullRequest(github, repository, pr) : null
  );
  const step = { ...surroundings, subject, github };
  if (inputs.command !== "submit" || apiToken !== null || issueToken === null || inputs.dryRun)
    return { ...step, client: createCheckedClient(service) };
  if (inputs.wait) {
    const problem = "needs an API token with the scope `read` in api-token; the job's own token can only submit";
    throw faultyInputs([{ input: "wait", problem }]);
  }
  return { ...step, client: createCheckedClient({ ...service, workflowToken: await issueToken() }) };
}
function tokenIssuer({ audience, apiUrl }, { tokenRequest, runner, fetch }, retry) {
  if (tokenRequest === null) return null;
  return async (by = {}) => {
    const token = await requestWorkflowToken(tokenRequest, audience ?? apiUrl, { fetch, retry, ...by });
    runner.mask(token);
    return token;
  };
}
function withDetails({ fetch, runner, clock }) {
  return async (url, init) => {
    const began = clock.now();
    const response = await fetch(url, init);
    runner.detail(
      `${init.method ?? "GET"} ${url} was answered ${response.status} after ${clock.now() - began} ms`
    );
    return response;
  };
}
function retryOptions({ runner, clock, signal }) {
  return {
    attempts: attempts2,
    sleep: async (ms) => {
      runner.log(`No usable answer; trying again in ${(ms / 1e3).toFixed(1)} s.`);
      await clock.sleep(ms, signal);
    }
  };
}
function onPush({ command, pr }, { isPush }) {
  if (!isPush || pr !== null || command !== "impacted-targets" && command !== "status") return null;
  return {
    verdict: "skipped",
    isFailure: false,
    title: "No pull request",
    message: "This workflow runs for a push, which is about no pull request, so nothing was done.",
    outputs: {},
    details: []
  };
}
function withoutSecrets(inputs, { subject, workflow, issueToken }) {
  if (inputs.command === "impacted-targets" || inputs.apiToken !== null || inputs.dryRun) return null;
  if (inputs.command === "submit" && issueToken !== null) return null;
  const isDependabot = workflow.actor === "dependabot[bot]";
  if (!subject.isFromFork && !isDependabot) {
    throw faultyInputs([
      {
        input: "api-token",
        problem: `is missing; set it from a secret with an API token${inputs.command === "submit" ? ", or give the job `id-token: write`" : ""}`
      }
    ]);
  }
  const whose = isDependabot ? "Dependabot's pull requests" : "pull requests of forks";
  const remedy = isDependabot ? "Store the token in the Dependabot secrets too." : "Use a workflow on pull_request_target that does not check out the fork's code.";
  return {
    verdict: "skipped",
    isFailure: inputs.strict,
    title: "No token",
    message: `GitHub gives no secrets to the workflows of ${whose}, so nothing was done. ${remedy}`,
    outputs: {},
    details: []
  };
}
function faultyInputs(issues) {
  const faults = issues.map(({ input, problem }) => `The input ${input} ${problem}.`);
  return new StepError(issues.length === 1 ? "An input is wrong" : "Inputs are wrong", faults.join("\n"));
}
function warnOfPlainHttp({ apiUrl, apiToken }, { runner, tokenRequest }) {
  const { protocol, hostname } = new URL(apiUrl);
  const isLocal = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (protocol === "https:" || isLocal || apiToken === null && tokenRequest === null) return;
  runner.annotate(
    "warning",
    "The token is sent unencrypted",
    "The input api-url does not begin with https, so the token can be read on the network."
  );
}

// src/action/workflow.ts
var aboutSha = ["push", "merge_group", "pull_request", "schedule", "workflow_dispatch"];
function readWorkflow({ payload, serverUrl, apiUrl, actor }, env2, temporary) {
  const [owner, name] = (env2.GITHUB_REPOSITORY ?? "").split("/");
  const run = at(payload, "workflow_run");
  const branch = env2.GITHUB_HEAD_REF || (env2.GITHUB_REF_TYPE === "tag" ? null : env2.GITHUB_REF_NAME) || null;
  const scheduled = env2.GITHUB_EVENT_NAME === "schedule" ? branch : null;
  return {
    host: new URL(serverUrl).host,
    serverUrl,
    apiUrl,
    repository: owner && name ? { owner, name } : null,
    defaultBranch: text(at(payload, "repository", "default_branch")) ?? scheduled,
    pullRequest: pullRequestOf(payload),
    workflowName: env2.GITHUB_WORKFLOW ?? "",
    job: env2.GITHUB_JOB || "job",
    step: env2.GITHUB_ACTION ?? "",
    os: env2.RUNNER_OS ?? "",
    ...run === void 0 ? ownRun(env2, branch) : runBefore(run),
    isPush: ["push", "merge_group"].includes(env2.GITHUB_EVENT_NAME ?? ""),
    isAboutSha: aboutSha.includes(env2.GITHUB_EVENT_NAME ?? ""),
    actor: actor ?? "",
    workspace: env2.GITHUB_WORKSPACE || ".",
    temporary: env2.RUNNER_TEMP || temporary
  };
}
function ownRun(env2, branch) {
  return {
    runId: env2.GITHUB_RUN_ID || null,
    runAttempt: Number(env2.GITHUB_RUN_ATTEMPT) || 1,
    branch,
    sha: env2.GITHUB_SHA || null,
    isTestMerge: /^refs\/pull\/\d+\/merge$/.test(env2.GITHUB_REF ?? ""),
    followsRun: false
  };
}
function runBefore(run) {
  return {
    runId: String(at(run, "id") ?? "") || null,
    runAttempt: Number(at(run, "run_attempt")) || 1,
    branch: text(at(run, "head_branch")),
    sha: text(at(run, "head_sha")),
    isTestMerge: false,
    followsRun: true
  };
}
function pullRequestOf(event) {
  const pull = at(event, "pull_request");
  const number = at(pull, "number");
  if (typeof number === "number") {
    const base = text(at(pull, "base", "repo", "full_name"));
    const isFromFork = text(at(pull, "head", "repo", "full_name")) !== base;
    return {
      number,
      headSha: text(at(pull, "head", "sha")),
      baseBranch: text(at(pull, "base", "ref")),
      isFromFork
    };
  }
  const issue2 = at(event, "issue");
  const commented = at(issue2, "pull_request") ? at(issue2, "number") : null;
  if (typeof commented !== "number") return null;
  return { number: commented, headSha: null, baseBranch: null, isFromFork: false };
}
function at(value, ...path) {
  return path.reduce(
    (inner, key) => typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : void 0,
    value
  );
}
function text(value) {
  return typeof value === "string" && value !== "" ? value : null;
}

// src/action/main.ts
var { env } = process;
var signals = ["SIGINT", "SIGTERM"];
process.exitCode = await useProxies(env, process.argv.slice(1)) ?? await runAction({
  input: getInput,
  runner: createActionsRunner(env.GITHUB_STEP_SUMMARY, getInput("verbose").toLowerCase() === "true"),
  workflow: readWorkflow(context, env, tmpdir()),
  fetch: globalThis.fetch,
  clock: {
    now: Date.now,
    sleep: (ms, signal) => sleep(ms, void 0, { signal }).catch(() => {
    })
  },
  signal: untilCancelled(),
  tokenRequest: readTokenRequest(env),
  env: childEnvironment(env)
});
function untilCancelled() {
  const controller = new AbortController();
  const cancel2 = () => {
    for (const name of signals) process.removeListener(name, cancel2);
    controller.abort();
  };
  for (const name of signals) process.on(name, cancel2);
  return controller.signal;
}
