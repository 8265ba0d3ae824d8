//! Types of instructions and variables.

/// How the bits of a value are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bits,
    Unsigned,
    Signed,
    Float,
    /// `bf16`.
    Brain,
    Predicate,
    /// Two values of 16 bits in 32 bits.
    Packed(PackedElement),
}

/// The elements of a packed type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackedElement {
    Half,
    Brain,
    Unsigned,
    Signed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Type {
    pub kind: Kind,
    pub bits: u32,
}

impl Type {
    /// The type with this name, which is written without its dot.
    pub(super) fn parse(name: &str) -> Option<Self> {
        if name == "pred" {
            return Some(Type {
                kind: Kind::Predicate,
                bits: 1,
            });
        }
        let packed = match name {
            "f16x2" => Some(PackedElement::Half),
            "bf16x2" => Some(PackedElement::Brain),
            "u16x2" => Some(PackedElement::Unsigned),
            "s16x2" => Some(PackedElement::Signed),
            _ => None,
        };
        if let Some(part) = packed {
            return Some(Type {
                kind: Kind::Packed(part),
                bits: 32,
            });
        }
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let kind = match &name[..digits] {
            "b" => Kind::Bits,
            "u" => Kind::Unsigned,
            "s" => Kind::Signed,
            "f" => Kind::Float,
            "bf" => Kind::Brain,
            _ => return None,
        };
        let bits = match (&name[digits..], kind) {
            ("8", Kind::Bits | Kind::Unsigned | Kind::Signed) => 8,
            ("16", _) => 16,
            ("32" | "64", Kind::Brain) => return None,
            ("32", _) => 32,
            ("64", _) => 64,
            ("128", Kind::Bits) => 128,
            _ => return None,
        };
        Some(Type { kind, bits })
    }

    pub(super) fn bytes(self) -> u32 {
        self.bits.div_ceil(8)
    }

    pub(super) fn is_float(self) -> bool {
        matches!(
            self.kind,
            Kind::Float | Kind::Brain | Kind::Packed(PackedElement::Half | PackedElement::Brain)
        )
    }

    /// Whether this is an integer type or a bit type, and fits into one register.
    pub(super) fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Bits | Kind::Unsigned | Kind::Signed) && self.bits <= 64
    }

    pub(super) fn is_signed(self) -> bool {
        self.kind == Kind::Signed
    }

    /// Cuts an immediate to the bits of the type.
    pub(super) fn cut(self, value: u64) -> u64 {
        value & (u64::MAX >> (64 - self.bits.clamp(1, 64)))
    }

    pub(super) const fn unsigned(bits: u32) -> Self {
        Type {
            kind: Kind::Unsigned,
            bits,
        }
    }
}

/// The type of lane numbers, counts and member masks: unsigned, 32 bits.
pub(super) const U32: Type = Type {
    kind: Kind::Unsigned,
    bits: 32,
};

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            Kind::Bits => ".b",
            Kind::Unsigned => ".u",
            Kind::Signed => ".s",
            Kind::Float => ".f",
            Kind::Brain => ".bf",
            Kind::Predicate => return f.write_str(".pred"),
            Kind::Packed(PackedElement::Half) => return f.write_str(".f16x2"),
            Kind::Packed(PackedElement::Brain) => return f.write_str(".bf16x2"),
            Kind::Packed(PackedElement::Unsigned) => return f.write_str(".u16x2"),
            Kind::Packed(PackedElement::Signed) => return f.write_str(".s16x2"),
        };
        write!(f, "{kind}{}", self.bits)
    }
}
