//! What is kept of each operation, found by its number.

use super::OperationId;

/// Something of each operation of a trial. Operations are numbered from 1 on without gaps, and every call looks its own up:
/// so they stand side by side.
#[derive(Debug, Clone, Default)]
pub struct PerOperation<T>(Vec<T>);

impl<T: Default> PerOperation<T> {
    /// What is kept of this operation; `None` where nothing can be.
    pub fn get(&self, op: OperationId) -> Option<&T> {
        self.0.get(op.0 as usize)
    }

    /// What is kept of this operation, to be changed; its default where nothing was.
    pub fn of(&mut self, op: OperationId) -> &mut T {
        let place = op.0 as usize;
        if place >= self.0.len() {
            self.0.resize_with(place + 1, T::default);
        }
        &mut self.0[place]
    }

    /// All that is kept, in the order of the operations; a default may stand for one of which nothing is.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_its_own_and_nothing_is_known_of_others() {
        let mut kept = PerOperation::<u32>::default();
        *kept.of(OperationId(3)) += 5;
        *kept.of(OperationId(1)) += 1;
        let of = |n| kept.get(OperationId(n)).copied();
        assert_eq!([1, 2, 3, 4].map(of), [Some(1), Some(0), Some(5), None]);
        assert_eq!(of(u32::MAX), None);
        assert_eq!(kept.values().sum::<u32>(), 6);
    }
}
