//! What stands behind a list, a map or an enum that a type is shown.

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess};

use super::outer::{Once, Through};
use super::{Choice, Elements, Pairs, Raised, Seed, Visits, read};

/// The one seed.
struct Sown<'a, 'de>(&'a mut dyn Seed<'de>);

impl<'de> DeserializeSeed<'de> for Sown<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        read(|from| self.0.read(from), d)
    }
}

/// A list or a map, which is asked again and again.
pub(super) struct Access<A, E> {
    inner: A,
    failed: Option<E>,
}

impl<A, E: Error> Access<A, E> {
    pub(super) fn new(inner: A) -> Self {
        Access { inner, failed: None }
    }

    fn keep<R>(&mut self, result: Result<R, E>) -> Result<R, Raised> {
        result.map_err(|error| {
            self.failed = Some(error);
            Raised::Below
        })
    }

    pub(super) fn end(self, result: Result<(), Raised>) -> Result<(), E> {
        result.map_err(|raised| raised.into_error(self.failed))
    }
}

impl<'de, A: SeqAccess<'de>> Elements<'de> for Access<A, A::Error> {
    fn next(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Raised> {
        let result = self.inner.next_element_seed(Sown(seed));
        self.keep(result).map(|one| one.is_some())
    }

    fn left(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> Pairs<'de> for Access<A, A::Error> {
    fn key(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Raised> {
        let result = self.inner.next_key_seed(Sown(seed));
        self.keep(result).map(|one| one.is_some())
    }

    fn value(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Raised> {
        let result = self.inner.next_value_seed(Sown(seed));
        self.keep(result)
    }

    fn left(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// An enum, and its variant once it is known.
pub(super) struct Chosen<A, V, E> {
    choice: Once<A, E>,
    variant: Option<V>,
}

impl<A, V, E: Error> Chosen<A, V, E> {
    pub(super) fn new(choice: A) -> Self {
        Chosen {
            choice: Once::holding(choice),
            variant: None,
        }
    }

    pub(super) fn end(self, result: Result<(), Raised>) -> Result<(), E> {
        self.choice.end(result)
    }

    fn held(&mut self) -> Result<V, Raised> {
        self.variant
            .take()
            .ok_or_else(|| Raised::custom("a variant was asked for twice"))
    }
}

impl<'de, A: EnumAccess<'de>> Choice<'de> for Chosen<A, A::Variant, A::Error> {
    fn variant(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Raised> {
        let result = self.choice.take()?.variant_seed(Sown(seed));
        let ((), variant) = self.choice.keep(result)?;
        self.variant = Some(variant);
        Ok(())
    }

    fn unit(&mut self) -> Result<(), Raised> {
        let result = self.held()?.unit_variant();
        self.choice.keep(result)
    }

    fn newtype(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Raised> {
        let result = self.held()?.newtype_variant_seed(Sown(seed));
        self.choice.keep(result)
    }

    fn tuple(&mut self, len: usize, visitor: &mut dyn Visits<'de>) -> Result<(), Raised> {
        let result = self.held()?.tuple_variant(len, Through(visitor));
        self.choice.keep(result)
    }

    fn fields(
        &mut self,
        names: &'static [&'static str],
        visitor: &mut dyn Visits<'de>,
    ) -> Result<(), Raised> {
        let result = self.held()?.struct_variant(names, Through(visitor));
        self.choice.keep(result)
    }
}
