//! A tap changes nothing: each conversation goes once to the layer directly and once through a tap, and both sides must
//! have seen the same bytes and the same end. What the tap counted meanwhile is compared with what was said.

mod conversations;
mod counted;
mod stand;
