// As rendezvous/store.h says: LibTorch's header includes it, and uses nothing of it.
#pragma once
